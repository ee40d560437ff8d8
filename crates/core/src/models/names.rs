//! Names of features.

/// Joins lists of names. `N` is the total number of names.
pub const fn joined<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut at, mut list) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            names[at] = lists[list][index];
            (at, index) = (at + 1, index + 1);
        }
        list += 1;
    }
    names
}

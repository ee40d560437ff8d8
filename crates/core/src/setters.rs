//! Setters of options.

/// Gives an options type a setter for each field named. With `#[non_exhaustive]`, options can grow without breaking
/// callers: `MineOptions::default().min_documents(3)`.
#[macro_export]
macro_rules! setters {
    ($type:ident { $($field:ident: $of:ty),* $(,)? }) => {
        impl $type {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $of) -> $type {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}

//! Keys by name, as actions of a keyboard.

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;

/// Presses a key, and lets it go: `j`, `?`, `Escape`, `Control+Enter`.
#[track_caller]
pub fn chord(keys: &str) -> KeyActions {
    let keys: Vec<char> = if keys == "+" { vec!['+'] } else { keys.split('+').map(key).collect() };
    let down = keys.iter().map(|&value| KeyAction::Down { value });
    let up = keys.iter().rev().map(|&value| KeyAction::Up { value });
    down.chain(up).fold(KeyActions::new("keyboard".to_owned()), |actions, action| actions.then(action))
}

#[track_caller]
fn key(name: &str) -> char {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return character;
    }
    named(name).map_or_else(|| panic!("no key is named {name:?}; keys::named has the names"), char::from)
}

fn named(name: &str) -> Option<Key> {
    Some(match name {
        "Alt" => Key::Alt,
        "Backspace" => Key::Backspace,
        "Control" => Key::Control,
        "Delete" => Key::Delete,
        "Down" => Key::Down,
        "End" => Key::End,
        "Enter" => Key::Enter,
        "Escape" => Key::Escape,
        "Home" => Key::Home,
        "Left" => Key::Left,
        "PageDown" => Key::PageDown,
        "PageUp" => Key::PageUp,
        "Right" => Key::Right,
        "Shift" => Key::Shift,
        "Space" => Key::Space,
        "Tab" => Key::Tab,
        "Up" => Key::Up,
        _ => return None,
    })
}

//! The `dehusk` program: see `src/cli`.

/// An allocator that is fast for many short-lived documents: Cargo.toml says how much time it saves.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(dehusk::cli::main(std::env::args_os()) as u8)
}

//! The `dehusk` program: see [`cli`].

mod cli;

/// Documents are many and short-lived: see "Why each dependency" in ARCHITECTURE.md for what it is worth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(cli::main(std::env::args_os()) as u8)
}

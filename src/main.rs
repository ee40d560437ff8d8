//! The `dehusk` program: see `src/cli`.

/// Documents are many and short-lived: Cargo.toml says what it is worth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(dehusk::cli::main(std::env::args_os()) as u8)
}

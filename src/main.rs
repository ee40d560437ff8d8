//! The `dehusk` program: see [`cli`].

mod cli;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(cli::main(std::env::args_os()) as u8)
}

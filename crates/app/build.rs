//! Exports the agent's entry point from `adit`: HotSpot looks for it in the executable itself.

fn main() {
    println!("cargo::rustc-link-arg-bin=adit=-Wl,--export-dynamic-symbol=Agent_OnLoad_adit");
    println!("cargo::rerun-if-changed=build.rs");
}

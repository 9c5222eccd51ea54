#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| onlinear_fuzz::entries::jsonl(bytes));

//! Tests of the library from outside: against truths that the library did not compute itself.

#![allow(clippy::unwrap_used)] // a test that cannot go on has failed
#![allow(clippy::disallowed_methods)] // what is expected may come from the platform's functions

mod batch;
mod bits;
mod bounds;
mod budget;
mod calibration;
mod certificates;
mod confidence;
mod conformance;
mod declarations;
mod differential;
mod direct;
mod drift;
mod ensemble;
mod golden;
mod held;
mod higher_order;
mod hostile;
mod kept_models;
mod kernels;
mod lent;
mod limits;
mod maps;
mod memory;
mod merge;
mod one_versus_rest;
mod overflow;
mod readers;
mod real_data;
mod robust;
mod romma;
mod second_order;
mod selective;
mod support;
mod words;

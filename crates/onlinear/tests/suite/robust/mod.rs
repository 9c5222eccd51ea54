//! Bytes that nobody vouches for: what comes in from outside is either refused or means one thing only.

mod attacks;
mod corpus;
mod entries;
mod every_model;
mod forgery;
mod layouts;
mod models;
mod properties;
mod seeds;

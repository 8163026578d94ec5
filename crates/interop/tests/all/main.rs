//! Tests of imports and exports, in a single program: it is linked once.

mod bad_exports;
mod bad_imports;
mod export_fabric;
mod export_settings;
mod goal;
mod hostile_names;
mod import_adapters;
mod import_adaptive;
mod import_arbitration;
mod import_cluster;
mod import_database;
mod import_lldp;
mod import_settings;
mod import_sonic;
mod import_tables;
mod import_text;
mod import_vendor;
#[path = "../../../scenario/tests/all/messages.rs"]
mod messages;

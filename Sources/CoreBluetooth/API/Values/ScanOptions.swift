// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Options of `CBCentralManager.scanForPeripherals(withServices:options:)`.

/// Whether every packet is reported, and not only the first of a peripheral: `Bool`, `false` if
/// missing.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"

/// The services whose solicitation is reported too: `[CBUUID]`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String =
    "kCBScanOptionSolicitedServiceUUIDs"

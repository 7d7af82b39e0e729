// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus

/// The properties of a device (org.bluez.Device1) as the port's values.
struct DaemonDevice: Sendable {
    let properties: DaemonObjects.Properties

    /// The address: the identity address of a bonded device, and the advertised address of any
    /// other device.
    var address: DeviceAddress? {
        guard let text = properties["Address"]?.string else { return nil }
        let kind: DeviceAddress.Kind =
            properties["AddressType"]?.string == "random" ? .random : .public
        return DeviceAddress(text, kind: kind)
    }

    var name: String? { properties["Name"]?.string }
    var isConnected: Bool { properties["Connected"]?.boolean ?? false }
    var hasResolvedServices: Bool { properties["ServicesResolved"]?.boolean ?? false }
    /// Whether the device has a bond. BlueZ before 5.65 has only `Paired`.
    var isBonded: Bool {
        properties["Bonded"]?.boolean ?? properties["Paired"]?.boolean ?? false
    }
    /// Whether the device is paired, with or without a bond.
    var isPaired: Bool { properties["Paired"]?.boolean ?? false }
    /// The signal strength in dBm while the daemon receives the device.
    var rssi: Int? { properties["RSSI"]?.integer }

    /// Whether the daemon knows the device only over BR/EDR: it has a class of device, but no LE
    /// data. If another program scans for BR/EDR, the daemon also reports such devices to this
    /// program.
    var isClassicOnly: Bool {
        properties["Class"] != nil && properties["ManufacturerData"] == nil
            && properties["ServiceData"] == nil && properties["AddressType"]?.string != "random"
            && properties["AdvertisingFlags"] == nil
    }

    /// The advertisement, with the data that the daemon has collected; `nil` without an address.
    ///
    /// The daemon does not report whether the device accepts connections. The advertisement states
    /// that it does, because an application would otherwise not try to connect.
    var advertisement: Advertisement? {
        guard let address else { return nil }
        return Advertisement(
            address: address,
            isIdentityResolved: isBonded && address.randomKind != .resolvablePrivate,
            isLegacy: false,
            rssi: rssi,
            txPower: properties["TxPower"]?.integer,
            data: data
        )
    }

    /// The advertising data, composed of the properties. Data that does not fit is left out.
    private var data: AdvertisingData {
        var builder = AdvertisingData.Builder(limit: AdvertisingData.extendedLimit)
        if let flags = properties["AdvertisingFlags"]?.bytes, !flags.isEmpty {
            try? builder.append(.flags, flags)
        }
        appendServices(to: &builder)
        if let name { builder.appendLocalName(name) }
        if let power = properties["TxPower"]?.integer, let power = Int8(exactly: power) {
            try? builder.append(txPowerLevel: power)
        }
        if let appearance = properties["Appearance"]?.integer {
            try? builder.append(appearance: UInt16(truncatingIfNeeded: appearance))
        }
        for entry in properties["ManufacturerData"]?.entries ?? [] {
            guard let company = entry.key.integer, let bytes = entry.value.unwrapped.bytes else {
                continue
            }
            let data = AdvertisingData.ManufacturerData(
                company: UInt16(truncatingIfNeeded: company),
                bytes: bytes
            )
            try? builder.append(manufacturerData: data)
        }
        for entry in properties["AdvertisingData"]?.entries ?? [] {
            guard let type = entry.key.integer, let bytes = entry.value.unwrapped.bytes else {
                continue
            }
            try? builder.append(
                AdvertisingData.DataType(rawValue: UInt8(truncatingIfNeeded: type)),
                bytes
            )
        }
        return builder.data
    }

    private func appendServices(to builder: inout AdvertisingData.Builder) {
        let uuids = (properties["UUIDs"]?.elements ?? []).compactMap(\.string)
            .compactMap { BluetoothUUID($0) }
        // As many UUIDs as fit are added: a connected device lists all services of its database
        // here.
        for width in [2, 4, 16] {
            let list = uuids.filter { Self.width(of: $0) == width }
            for uuid in list { try? builder.append(serviceUUIDs: [uuid], areAll: false) }
        }
        for (text, value) in serviceData {
            guard let uuid = BluetoothUUID(text) else { continue }
            try? builder.append(serviceData: value, of: uuid)
        }
    }

    private var serviceData: [(String, [UInt8])] {
        (properties["ServiceData"]?.entries ?? []).compactMap { entry in
            guard let uuid = entry.key.string, let bytes = entry.value.unwrapped.bytes else {
                return nil
            }
            return (uuid, bytes)
        }
    }

    private static func width(of uuid: BluetoothUUID) -> Int {
        if uuid.short16 != nil { return 2 }
        return uuid.short32 != nil ? 4 : 16
    }
}

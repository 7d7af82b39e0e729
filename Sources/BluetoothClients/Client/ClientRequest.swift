// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// A request to a peripheral's attributes.
package enum ClientRequest: Sendable {
    case find(ClientSearch)
    case read(GATT.Characteristic)
    case write(GATT.Characteristic, [UInt8])
    /// A write without response.
    case command(GATT.Characteristic, [UInt8], WriteWindow)
    case readDescriptor(GATT.Descriptor)
    case writeDescriptor(GATT.Descriptor, [UInt8])
    case setNotifying(Bool, GATT.Characteristic)
    /// The renewal of a subscription that a former process of the application made. The application
    /// gets an event only if the renewal fails.
    case renotify(GATT.Characteristic)
    /// The end of a subscription, because no manager is subscribed to the value anymore.
    case unsubscribe(GATT.Characteristic)
    /// A reading of the database, because it changed or may have changed.
    case refresh
}

/// A search for attributes.
package enum ClientSearch: Sendable {
    case services(UUIDFilter)
    case includedServices(UUIDFilter, of: GATT.Service)
    case characteristics(UUIDFilter, of: GATT.Service)
    case descriptors(of: GATT.Characteristic)
}

/// The UUIDs of a search. An empty list matches all UUIDs, as `nil` does.
package struct UUIDFilter: Hashable, Sendable {
    private let uuids: Set<BluetoothUUID>

    package init(_ uuids: [BluetoothUUID]?) {
        self.uuids = Set(uuids ?? [])
    }

    func admits(_ uuid: BluetoothUUID) -> Bool { uuids.isEmpty || uuids.contains(uuid) }
}

/// The services that applications do not see, because the system uses them (Apple's accessory
/// design guidelines, 40.13).
enum HiddenServices {
    private static let humanInterfaceDevice = BluetoothUUID(0x1812)
    private static let notificationCenter = BluetoothUUID("7905F431-B5CE-4E99-A40F-4B1E122D00D0")

    static func contains(_ uuid: BluetoothUUID) -> Bool {
        switch uuid {
        case GATT.AttributeType.genericAccess, GATT.AttributeType.genericAttribute,
            humanInterfaceDevice, notificationCenter:
            true
        default: false
        }
    }
}

extension ClientRequest {
    /// Whether the request is a write without response, of which several can be pending at once.
    var isCommand: Bool {
        if case .command = self { true } else { false }
    }

    /// Whether the request reads the database for the core itself.
    var isRefresh: Bool {
        if case .refresh = self { true } else { false }
    }

    /// Whether the request reads the database before it uses attributes.
    var readsTable: Bool {
        switch self {
        case .find, .renotify, .setNotifying(true, _): true
        default: false
        }
    }

    /// Whether a later write without response has to wait until this request is done.
    var delaysCommands: Bool {
        switch self {
        case .write, .writeDescriptor, .refresh: true
        default: false
        }
    }

    /// Returns whether the request's attribute is unchanged in a database.
    func isFound(in table: GATT.Database) -> Bool {
        switch self {
        case .find, .refresh: true
        case .read(let wanted), .write(let wanted, _), .command(let wanted, _, _),
            .setNotifying(_, let wanted), .renotify(let wanted), .unsubscribe(let wanted):
            table.characteristic(valueHandle: wanted.valueHandle)?.characteristic == wanted
        case .readDescriptor(let wanted), .writeDescriptor(let wanted, _):
            table.characteristics.contains { $0.descriptors.contains(wanted) }
        }
    }
}

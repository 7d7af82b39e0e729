// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// What an application asks of a peripheral's attributes.
enum ClientRequest: Sendable {
    case find(ClientSearch)
    case read(GATT.Characteristic)
    case write(GATT.Characteristic, [UInt8])
    /// A write that nobody confirms.
    case command(GATT.Characteristic, [UInt8], WriteWindow)
    case readDescriptor(GATT.Descriptor)
    case writeDescriptor(GATT.Descriptor, [UInt8])
    case setNotifying(Bool, GATT.Characteristic)
    /// The application asked for it in an earlier life: it is told only if that does not succeed.
    case renotify(GATT.Characteristic)
    /// Nobody wants the values any more.
    case unsubscribe(GATT.Characteristic)
    /// The table is not what it was.
    case refresh
}

/// What is looked for.
enum ClientSearch: Sendable {
    case services(UUIDFilter)
    case includedServices(UUIDFilter, of: GATT.Service)
    case characteristics(UUIDFilter, of: GATT.Service)
    case descriptors(of: GATT.Characteristic)
}

/// Which UUIDs are wanted; an empty list means all, as none does.
struct UUIDFilter: Hashable, Sendable {
    private let uuids: Set<BluetoothUUID>

    static let all = UUIDFilter(uuids: [])

    init(_ uuids: [CBUUID]?) {
        self.uuids = Set((uuids ?? []).map(\.value))
    }

    private init(uuids: Set<BluetoothUUID>) {
        self.uuids = uuids
    }

    func admits(_ uuid: BluetoothUUID) -> Bool { uuids.isEmpty || uuids.contains(uuid) }
}

/// The services that applications do not see: the system uses them itself (behaviour as of Apple's
/// accessory guidelines, 40.13).
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
    /// Whether nothing comes back, so that any number of them may be under way.
    var isCommand: Bool {
        if case .command = self { true } else { false }
    }

    /// Whether it is the core's own look at the table.
    var isRefresh: Bool {
        if case .refresh = self { true } else { false }
    }

    /// Whether a command that was asked for after this must not reach the peripheral before it is done.
    var delaysCommands: Bool {
        switch self {
        case .write, .writeDescriptor, .refresh: true
        default: false
        }
    }

    /// What it is about is still where it was.
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

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// An explorer, which discovers all services of an accessory and reads their values.
struct Explorer: Sendable {
    let accessory: any ConnectedAccessory
    let limits: StepLimits
    /// Receives a description of the current step.
    var progress: @Sendable (String) -> Void = { _ in }

    /// Discovers every service, characteristic and descriptor, and reads every readable value. A
    /// value that the accessory refuses is recorded as refused.
    func explore(advertisedName: String?) async throws -> Exploration {
        var exploration = Exploration(
            address: accessory.address,
            name: advertisedName,
            mtu: try await limits.run("asking for the MTU") { try await accessory.mtu }
        )
        progress("discovering services")
        var found = try await services()
        var position = 0
        while position < found.count {
            progress("exploring service \(position + 1) of \(found.count)")
            let service = try await explore(found[position], &exploration.values)
            exploration.services.append(service)
            for include in service.includes.map(\.service)
            where !found.contains(where: { $0.handle == include.handle }) {
                found.append(include)
            }
            position += 1
        }
        exploration.services.sort { $0.service.handle < $1.service.handle }
        exploration.name = exploration.deviceName ?? advertisedName
        return exploration
    }

    /// Returns primary services and then secondary services. A server may refuse to list secondary
    /// services. Secondary services that other services include are found in any case.
    private func services() async throws -> [GATT.Service] {
        let primary = try await limits.run("discovering services") {
            try await accessory.discoverServices(uuid: nil)
        }
        let secondary = try await limits.run("discovering secondary services") {
            do {
                return try await accessory.discoverSecondaryServices()
            } catch GATT.Failure.attribute {
                return []
            }
        }
        return primary + secondary
    }

    private func explore(
        _ service: GATT.Service,
        _ values: inout [AttributeHandle: Exploration.Value]
    ) async throws -> GATT.DiscoveredService {
        let includes = try await limits.run("looking for included services") {
            try await accessory.discoverIncludedServices(of: service)
        }
        let characteristics = try await limits.run("discovering characteristics") {
            try await accessory.discoverCharacteristics(of: service, uuid: nil)
        }
        var discovered: [GATT.DiscoveredCharacteristic] = []
        for characteristic in characteristics {
            let descriptors = try await limits.run("discovering descriptors") {
                try await accessory.discoverDescriptors(of: characteristic)
            }
            discovered.append(.init(characteristic: characteristic, descriptors: descriptors))
            for handle in discovered[discovered.count - 1].readableHandles {
                values[handle] = try await read(handle)
            }
        }
        return .init(service: service, includes: includes, characteristics: discovered)
    }

    private func read(_ handle: AttributeHandle) async throws -> Exploration.Value {
        try await limits.run("reading attribute \(handle.rawValue)") {
            do {
                return .bytes(try await accessory.readLong(handle))
            } catch GATT.Failure.attribute(let code, _) {
                return .refused(code.description)
            }
        }
    }
}

extension Exploration {
    /// The value of the Device Name characteristic (Vol 3, Part C, 12.1).
    fileprivate var deviceName: String? {
        let characteristics = services.lazy.filter { $0.service.uuid == BluetoothUUID(0x1800) }
            .flatMap(\.characteristics)
        guard
            let name = characteristics.first(where: {
                $0.characteristic.uuid == BluetoothUUID(0x2A00)
            }),
            case .bytes(let bytes) = values[name.valueHandle], !bytes.isEmpty
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// Finds on an accessory the one characteristic that a person named.
struct CharacteristicFinder: Sendable {
    let accessory: any VisitedAccessory
    let limits: StepLimits

    /// The characteristic; throws if there is none, or more than one.
    func find(_ reference: CharacteristicReference) async throws -> GATT.Characteristic {
        var matches: [GATT.Characteristic] = []
        for service in try await services(for: reference) {
            let found = try await limits.run("discovering characteristics") {
                try await accessory.discoverCharacteristics(of: service, uuid: nil)
            }
            matches += found.filter(reference.matches)
        }
        guard let match = matches.first else {
            throw ProgramFailure(
                .notFound,
                "the accessory has no characteristic \(reference)",
                advice: "explore lists what it has"
            )
        }
        guard matches.count == 1 else {
            let handles = matches.map { "#\($0.valueHandle.rawValue)" }.joined(separator: ", ")
            throw ProgramFailure.usage(
                "the accessory has \(matches.count) characteristics \(reference)",
                advice: "say which by its handle: \(handles)"
            )
        }
        return match
    }

    private func services(for reference: CharacteristicReference) async throws -> [GATT.Service] {
        let services = try await limits.run("discovering services") {
            try await accessory.discoverServices(uuid: reference.service)
        }
        guard case .valueHandle(let handle) = reference.identity else { return services }
        return services.filter { $0.handles.contains(AttributeHandle(handle)) }
    }
}

extension CharacteristicReference {
    fileprivate func matches(_ characteristic: GATT.Characteristic) -> Bool {
        switch identity {
        case .uuid(let uuid): characteristic.uuid == uuid
        case .valueHandle(let handle): characteristic.valueHandle.rawValue == handle
        }
    }
}

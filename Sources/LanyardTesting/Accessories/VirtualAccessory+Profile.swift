// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothSMP
import BluetoothTypes
import Foundation
import HCITransports
import Lanyard
import VirtualAccessories

// The conversion to the profile of a `SimpleAccessory`.
extension VirtualAccessory {
    /// Returns the profile of the accessory.
    ///
    /// - Parameters:
    ///   - record: The record of written values.
    ///   - endpoints: The endpoints, to which the method adds those of the message services.
    func profile(
        noting record: WriteRecord,
        _ endpoints: MessageEndpoints = MessageEndpoints()
    ) -> SimpleAccessoryProfile {
        SimpleAccessoryProfile(
            name: name,
            services: services.map { $0.definition(noting: record, endpoints) },
            advertisedServices: advertisedServices?.map(\.bluetoothUUID),
            manufacturerData: manufacturerData.flatMap { bytes in
                guard bytes.count >= 2 else { return nil }
                return AdvertisingData.ManufacturerData(
                    company: UInt16(bytes[0]) | UInt16(bytes[1]) << 8,
                    bytes: Array(bytes.dropFirst(2))
                )
            },
            advertisingInterval: advertisingInterval,
            address: accessoryAddress,
            pairing: accessoryPairing
        )
    }

    private var accessoryAddress: AccessoryAddress {
        switch address {
        case .fixed: .randomStatic
        case .rotating(let period): .rotating(every: period)
        }
    }

    private var accessoryPairing: AccessoryPairing? {
        switch pairing {
        case .automatic: isProtected ? AccessoryPairing() : nil
        case .refused: nil
        case .withoutQuestions: AccessoryPairing()
        case .showingDigits: AccessoryPairing(.displayOnly)
        case .comparingDigits: AccessoryPairing(.displayYesNo)
        }
    }

    private var isProtected: Bool {
        services.contains { $0.characteristics.contains(where: \.isProtected) }
    }
}

extension VirtualService {
    func definition(
        noting record: WriteRecord,
        _ endpoints: MessageEndpoints
    ) -> SimpleAccessoryProfile.Service {
        let endpoint = messages.map { MessageEndpoint($0) }
        if let endpoint { endpoints.add(endpoint, of: identifier) }
        return SimpleAccessoryProfile.Service(
            identifier.bluetoothUUID,
            characteristics.map { characteristic in
                var definition = characteristic.definition(noting: record)
                if let endpoint, endpoint.definition.input == characteristic.identifier {
                    definition.reaction = endpoint.reaction(noting: record)
                }
                return definition
            },
            isPrimary: isPrimary,
            includes: includes.map(\.bluetoothUUID)
        )
    }
}

extension VirtualCharacteristic {
    fileprivate func definition(noting record: WriteRecord) -> SimpleAccessoryProfile.Characteristic
    {
        SimpleAccessoryProfile.Characteristic(
            identifier.bluetoothUUID,
            properties,
            value: value,
            descriptors: text.map { [.userDescription($0)] } ?? [],
            stream: stream,
            reaction: isWritable ? writeReaction(noting: record) : nil,
            requirement: isProtected ? .encrypted : .open
        )
    }

    private var isWritable: Bool {
        properties.contains(.write) || properties.contains(.writeWithoutResponse)
    }

    private func writeReaction(noting record: WriteRecord) -> WriteReaction {
        WriteReaction { [identifier, reaction] written, values in
            record.note(written, to: identifier)
            let outcome = reaction?(written) ?? .accepts
            if case .refuses(let code) = outcome { return .refused(ATT.ErrorCode(rawValue: code)) }
            values[identifier.bluetoothUUID] = written
            switch outcome {
            case .accepts, .refuses: return .accepted([])
            case .endsLink: return .accepted([.disconnect])
            case .sends(let all, let output):
                let stream = ValueStream(every: .zero, limit: all.count) { all[$0] }
                return .accepted([.send(stream, of: output.bluetoothUUID)])
            }
        }
    }
}

extension MessageEndpoint {
    /// Returns the reaction to a part of a message.
    fileprivate func reaction(noting record: WriteRecord) -> WriteReaction {
        WriteReaction { [self] written, values in
            record.note(written, to: definition.input)
            values[definition.input.bluetoothUUID] = written
            let bytes = receive(written, link: values.linkCount)
            return .accepted([.sendBytes(bytes, of: definition.output.bluetoothUUID)])
        }
    }
}

extension BluetoothID {
    /// The UUID in the type of the layers below.
    var bluetoothUUID: BluetoothUUID {
        guard let uuid = BluetoothUUID(text) else {
            preconditionFailure("\(text) is not a UUID")
        }
        return uuid
    }
}

/// The record of the values that were written to an accessory.
final class WriteRecord: Sendable {
    /// The maximum number of values. When it is reached, the older half is removed.
    static let limit = 100_000

    private let writes = Lock<[(identifier: BluetoothID, value: Data)]>([])

    func note(_ value: [UInt8], to identifier: BluetoothID) {
        writes.withLock { writes in
            if writes.count >= Self.limit { writes.removeFirst(Self.limit / 2) }
            writes.append((identifier, Data(value)))
        }
    }

    func values(of identifier: BluetoothID) -> [Data] {
        writes.withLock { $0.filter { $0.identifier == identifier }.map(\.value) }
    }
}

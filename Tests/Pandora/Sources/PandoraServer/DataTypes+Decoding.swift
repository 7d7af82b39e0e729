// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import PandoraInterface

// The data of an advertisement as a message (Core Specification Supplement, Part A, 1).
extension Pandora_DataTypes {
    /// Creates the message. Structures of other types are left out, and so are numbers, UUIDs and
    /// addresses of a wrong length.
    init(_ data: AdvertisingData) {
        self.init()
        for structure in data.structures { add(structure.type, structure.value) }
    }

    private mutating func add(_ type: AdvertisingData.DataType, _ value: ArraySlice<UInt8>) {
        switch type {
        case .flags: addFlags(value)
        case .incompleteServiceUUIDs16: incompleteServiceClassUuids16 += value.uuids(of: 2)
        case .completeServiceUUIDs16: completeServiceClassUuids16 += value.uuids(of: 2)
        case .incompleteServiceUUIDs32: incompleteServiceClassUuids32 += value.uuids(of: 4)
        case .completeServiceUUIDs32: completeServiceClassUuids32 += value.uuids(of: 4)
        case .incompleteServiceUUIDs128: incompleteServiceClassUuids128 += value.uuids(of: 16)
        case .completeServiceUUIDs128: completeServiceClassUuids128 += value.uuids(of: 16)
        case .solicitedServiceUUIDs16: serviceSolicitationUuids16 += value.uuids(of: 2)
        case .solicitedServiceUUIDs32: serviceSolicitationUuids32 += value.uuids(of: 4)
        case .solicitedServiceUUIDs128: serviceSolicitationUuids128 += value.uuids(of: 16)
        case .shortenedLocalName: shortenedLocalName = String(decoding: value, as: UTF8.self)
        case .completeLocalName: completeLocalName = String(decoding: value, as: UTF8.self)
        // As text, with the number of the scheme as its first character.
        case .uri: uri = String(decoding: value, as: UTF8.self)
        default: addNumbers(type, value)
        }
    }

    private mutating func addNumbers(_ type: AdvertisingData.DataType, _ value: ArraySlice<UInt8>) {
        switch (type, value.count) {
        case (.txPowerLevel, 1): txPowerLevel = value.number
        case (.classOfDevice, 3): classOfDevice = value.number
        case (.peripheralConnectionIntervalRange, 4):
            peripheralConnectionIntervalMin = value.prefix(2).number
            peripheralConnectionIntervalMax = value.suffix(2).number
        case (.appearance, 2): appearance = value.number
        case (.advertisingInterval, 2): advertisingInterval = value.number
        default: addBytes(type, value)
        }
    }

    private mutating func addBytes(_ type: AdvertisingData.DataType, _ value: ArraySlice<UInt8>) {
        switch type {
        case .serviceData16 where value.count >= 2:
            serviceDataUuid16[value.prefix(2).uuid] = Data(value.dropFirst(2))
        case .serviceData32 where value.count >= 4:
            serviceDataUuid32[value.prefix(4).uuid] = Data(value.dropFirst(4))
        case .serviceData128 where value.count >= 16:
            serviceDataUuid128[value.prefix(16).uuid] = Data(value.dropFirst(16))
        case .publicTargetAddress:
            publicTargetAddresses += value.chunks(of: 6).map { Data($0.reversed()) }
        case .randomTargetAddress:
            randomTargetAddresses += value.chunks(of: 6).map { Data($0.reversed()) }
        case .supportedFeatures: leSupportedFeatures = Data(value)
        case .manufacturerData: manufacturerSpecificData = Data(value)
        default: break
        }
    }

    private mutating func addFlags(_ value: ArraySlice<UInt8>) {
        let flags = AdvertisingData.Flags(rawValue: value.first ?? 0)
        if flags.contains(.generalDiscoverable) {
            leDiscoverabilityMode = .discoverableGeneral
        } else if flags.contains(.limitedDiscoverable) {
            leDiscoverabilityMode = .discoverableLimited
        }
    }
}

extension AdvertisingData.DataType {
    /// The Class of Device (Supplement, Part A, 1.6).
    static let classOfDevice = AdvertisingData.DataType(rawValue: 0x0D)
}

extension ArraySlice<UInt8> {
    /// The little-endian number of at most four bytes.
    fileprivate var number: UInt32 { reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    /// The text of a little-endian UUID of 2, 4 or 16 bytes, in the interface's form: upper case,
    /// with hyphens in one of 16 bytes.
    fileprivate var uuid: String {
        let digits = reversed().map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return byte < 0x10 ? "0" + text : text
        }
        guard digits.count == 16 else { return digits.joined() }
        return [digits[..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10...]]
            .map { $0.joined() }.joined(separator: "-")
    }

    fileprivate func uuids(of length: Int) -> [String] { chunks(of: length).map(\.uuid) }

    /// Returns the whole chunks of this length.
    fileprivate func chunks(of length: Int) -> [ArraySlice<UInt8>] {
        stride(from: startIndex, to: endIndex - length + 1, by: length).map {
            self[$0..<$0 + length]
        }
    }
}

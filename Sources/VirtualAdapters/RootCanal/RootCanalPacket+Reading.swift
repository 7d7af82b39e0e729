// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension RootCanalPacket {
    /// Reads a packet.
    ///
    /// - Throws: ``MalformedBytes`` if the packet is malformed, or of a type that our Link Layer
    ///   does not have.
    package init(_ bytes: [UInt8]) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        guard let tag = Tag(rawValue: try reader.readUInt8()) else {
            throw .invalid(field: "packet type")
        }
        source = try reader.readInteger(bytes: 6)
        destination = try reader.readInteger(bytes: 6)
        content = try Self.content(tag, &reader)
        try reader.finish()
    }

    private static func content(
        _ tag: Tag,
        _ reader: inout ByteReader
    ) throws(MalformedBytes) -> Content {
        switch tag {
        case .advertisement:
            let (own, target) = (try reader.readKind(), try reader.readKind())
            guard let type = AdvertisingType(rawValue: try reader.readUInt8()) else {
                throw .invalid(field: "advertising type")
            }
            let data = Array(reader.readRemaining())
            return .advertisement(type: type, own: own, target: target, data: data)
        case .extendedAdvertisement:
            return .extendedAdvertisement(try ExtendedAdvertisement(from: &reader))
        case .scanRequest:
            return .scanRequest(own: try reader.readKind(), advertiser: try reader.readKind())
        case .scanResponse:
            return .scanResponse(own: try reader.readKind(), data: Array(reader.readRemaining()))
        case .connectionRequest:
            return .connectionRequest(try ConnectionParameters(from: &reader))
        case .connectionResponse:
            return .connectionResponse(try ConnectionParameters(from: &reader))
        case .data:
            // The Packet_Boundary_Flag of the sender's host, and the broadcast flag.
            let isContinuation = try reader.readUInt8() == 1
            _ = try reader.readUInt8()
            return .data(isContinuation: isContinuation, Array(reader.readRemaining()))
        default: return try control(tag, &reader)
        }
    }

    /// Reads the content of a packet of an existing link.
    private static func control(
        _ tag: Tag,
        _ reader: inout ByteReader
    ) throws(MalformedBytes) -> Content {
        switch tag {
        case .encryptionRequest:
            let (random, diversifier) = (try reader.readBytes(8), try reader.readUInt16())
            let key = Array(try reader.readBytes(16))
            return .encryptionRequest(random: Array(random), diversifier: diversifier, key: key)
        case .encryptionResponse:
            return try encryptionResponse(&reader)
        case .featureRequest: return .featureRequest
        case .featureResponse:
            let features = try reader.readUInt64()
            return .featureResponse(features: features, status: try reader.readUInt8())
        case .versionRequest: return .versionRequest
        case .versionResponse:
            let (version, subversion) = (try reader.readUInt8(), try reader.readUInt8())
            let company = try reader.readUInt16()
            return .versionResponse(version: version, subversion: subversion, company: company)
        case .pingRequest: return .pingRequest
        case .pingResponse: return .pingResponse
        case .phyRequest:
            return .phyRequest(send: try reader.readUInt8(), receive: try reader.readUInt8())
        case .phyResponse:
            return .phyResponse(send: try reader.readUInt8(), receive: try reader.readUInt8())
        case .phyUpdate:
            let (toPeripheral, toCentral) = (try reader.readUInt8(), try reader.readUInt8())
            _ = try reader.readUInt16()  // The instant.
            return .phyUpdate(toPeripheral: toPeripheral, toCentral: toCentral)
        case .parameterRequest: return try parameterRequest(&reader)
        case .parameterUpdate:
            let status = try reader.readUInt8()
            let (interval, latency) = (try reader.readUInt16(), try reader.readUInt16())
            let timeout = try reader.readUInt16()
            return .parameterUpdate(
                status: status,
                interval: interval,
                latency: latency,
                timeout: timeout
            )
        default: return .disconnection(reason: try reader.readUInt8())
        }
    }

    /// Reads the answer to an encryption request. RootCanal 1.10 has no status: a key of zeros
    /// refuses the request.
    private static func encryptionResponse(
        _ reader: inout ByteReader
    ) throws(MalformedBytes) -> Content {
        let stated: UInt8? = reader.remaining > 26 ? try reader.readUInt8() : nil
        _ = try reader.readBytes(10)  // The random number and the diversifier.
        let key = Array(try reader.readBytes(16))
        let missing: UInt8 = key.allSatisfy { $0 == 0 } ? 0x06 : 0
        return .encryptionResponse(status: stated ?? missing, key: key)
    }

    private static func parameterRequest(
        _ reader: inout ByteReader
    ) throws(MalformedBytes) -> Content {
        let (minimum, maximum) = (try reader.readUInt16(), try reader.readUInt16())
        guard minimum <= maximum else { throw .invalid(field: "intervals") }
        let (latency, timeout) = (try reader.readUInt16(), try reader.readUInt16())
        return .parameterRequest(
            intervals: minimum...maximum,
            latency: latency,
            timeout: timeout
        )
    }
}

extension RootCanalPacket.ConnectionParameters {
    fileprivate init(from reader: inout ByteReader) throws(MalformedBytes) {
        initiator = try reader.readKind()
        advertiser = try reader.readKind()
        interval = try reader.readUInt16()
        latency = try reader.readUInt16()
        timeout = try reader.readUInt16()
    }
}

extension RootCanalPacket.ExtendedAdvertisement {
    fileprivate init(from reader: inout ByteReader) throws(MalformedBytes) {
        own = try reader.readKind()
        target = try reader.readKind()
        let flags = try reader.readUInt8()
        (isConnectable, isScannable) = (flags & 1 != 0, flags & 2 != 0)
        isDirected = flags & 4 != 0
        setIdentifier = try reader.readUInt8()
        transmitPower = try reader.readUInt8()
        primaryPHY = try reader.readUInt8()
        secondaryPHY = try reader.readUInt8()
        _ = try reader.readUInt16()  // The interval of periodic advertising.
        data = Array(reader.readRemaining())
    }
}

extension ByteReader {
    fileprivate mutating func readKind() throws(MalformedBytes) -> DeviceAddress.Kind {
        guard let kind = DeviceAddress.Kind(rawValue: try readUInt8()) else {
            throw .invalid(field: "address type")
        }
        return kind
    }
}

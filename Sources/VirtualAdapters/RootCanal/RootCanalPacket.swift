// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A packet between the Link Layers of RootCanal's controllers, as its test suite sends and expects
/// it: the packets of legacy advertising and of a connection.
///
/// RootCanal has no bits on the air. Its packets are values with both addresses, in the order of
/// bytes that its file `link_layer_packets.pdl` defines.
struct LinkLayerPacket: Equatable {
    /// The content of a packet.
    enum Content: Equatable {
        case advertisement(type: AdvertisingType, own: Kind, target: Kind, data: [UInt8])
        case scanRequest(own: Kind, advertiser: Kind)
        case scanResponse(own: Kind, data: [UInt8])
        case connectionRequest(ConnectionParameters)
        case connectionResponse(ConnectionParameters)
        case disconnection(reason: UInt8)
        case encryptionRequest(random: [UInt8], diversifier: UInt16, key: [UInt8])
        case encryptionResponse(status: UInt8, key: [UInt8])
        case phyRequest(send: UInt8, receive: UInt8)
        case phyResponse(send: UInt8, receive: UInt8)
        /// Without the instant, which RootCanal does not have.
        case phyUpdate(toPeripheral: UInt8, toCentral: UInt8)
    }

    /// The type of a legacy advertisement.
    enum AdvertisingType: UInt8 {
        case undirected, directed, scannable, nonconnectable
    }

    /// The type of an address.
    typealias Kind = DeviceAddress.Kind

    /// The fields that a connection request and its answer have in common.
    struct ConnectionParameters: Equatable {
        var initiator: Kind
        var advertiser: Kind
        /// The connection interval, in units of 1.25 ms.
        var interval: UInt16
        var latency: UInt16
        /// The supervision timeout, in units of 10 ms.
        var timeout: UInt16
    }

    /// The first byte of each packet.
    private enum Tag: UInt8 {
        case disconnection = 0x05
        case advertisement = 0x0B
        case connectionRequest = 0x0C
        case connectionResponse = 0x0D
        case scanRequest = 0x0E
        case scanResponse = 0x0F
        case encryptionRequest = 0x20
        case encryptionResponse = 0x21
        case phyRequest = 0x50
        case phyResponse = 0x51
        case phyUpdate = 0x52
    }

    var source: UInt64
    var destination: UInt64
    var content: Content

    /// The bytes of the packet.
    var bytes: [UInt8] {
        var writer = Fields()
        writer.append(tag.rawValue)
        writer.append(source, count: 6)
        writer.append(destination, count: 6)
        switch content {
        case .advertisement(let type, let own, let target, let data):
            writer.bytes += [own.rawValue, target.rawValue, type.rawValue] + data
        case .scanRequest(let own, let advertiser):
            writer.bytes += [own.rawValue, advertiser.rawValue]
        case .scanResponse(let own, let data): writer.bytes += [own.rawValue] + data
        case .connectionRequest(let parameters), .connectionResponse(let parameters):
            writer.bytes += [parameters.initiator.rawValue, parameters.advertiser.rawValue]
            for field in [parameters.interval, parameters.latency, parameters.timeout] {
                writer.append(UInt64(field), count: 2)
            }
        case .disconnection(let reason): writer.append(reason)
        case .encryptionRequest(let random, let diversifier, let key):
            writer.bytes += random
            writer.append(UInt64(diversifier), count: 2)
            writer.bytes += key
        case .encryptionResponse(let status, let key):
            writer.bytes += [status] + [UInt8](repeating: 0, count: 10) + key
        case .phyRequest(let send, let receive), .phyResponse(let send, let receive):
            writer.bytes += [send, receive]
        case .phyUpdate(let toPeripheral, let toCentral):
            writer.bytes += [toPeripheral, toCentral, 0, 0]
        }
        return writer.bytes
    }

    private var tag: Tag {
        switch content {
        case .advertisement: .advertisement
        case .scanRequest: .scanRequest
        case .scanResponse: .scanResponse
        case .connectionRequest: .connectionRequest
        case .connectionResponse: .connectionResponse
        case .disconnection: .disconnection
        case .encryptionRequest: .encryptionRequest
        case .encryptionResponse: .encryptionResponse
        case .phyRequest: .phyRequest
        case .phyResponse: .phyResponse
        case .phyUpdate: .phyUpdate
        }
    }
}

extension LinkLayerPacket {
    /// Reads a packet; `nil` if it is malformed, or has no counterpart in our Link Layer.
    init?(_ bytes: [UInt8]) {
        var fields = Fields(bytes: bytes)
        guard let tag = fields.byte().flatMap(Tag.init), let source = fields.number(6),
            let destination = fields.number(6), let content = Self.content(tag, &fields)
        else { return nil }
        self.init(source: source, destination: destination, content: content)
    }

    private static func content(_ tag: Tag, _ fields: inout Fields) -> Content? {
        switch tag {
        case .disconnection: return fields.byte().map { .disconnection(reason: $0) }
        case .advertisement:
            guard let own = fields.kind(), let target = fields.kind(),
                let type = fields.byte().flatMap(AdvertisingType.init)
            else { return nil }
            return .advertisement(type: type, own: own, target: target, data: fields.bytes)
        case .scanRequest:
            guard let own = fields.kind(), let advertiser = fields.kind() else { return nil }
            return .scanRequest(own: own, advertiser: advertiser)
        case .scanResponse:
            return fields.kind().map { .scanResponse(own: $0, data: fields.bytes) }
        case .connectionRequest: return parameters(&fields).map { .connectionRequest($0) }
        case .connectionResponse: return parameters(&fields).map { .connectionResponse($0) }
        case .encryptionRequest:
            guard let random = fields.take(8), let diversifier = fields.number(2),
                let key = fields.take(16)
            else { return nil }
            let short = UInt16(truncatingIfNeeded: diversifier)
            return .encryptionRequest(random: random, diversifier: short, key: key)
        case .encryptionResponse:
            guard let status = fields.byte(), fields.take(10) != nil, let key = fields.take(16)
            else { return nil }
            return .encryptionResponse(status: status, key: key)
        case .phyRequest:
            guard let send = fields.byte(), let receive = fields.byte() else { return nil }
            return .phyRequest(send: send, receive: receive)
        case .phyResponse:
            guard let send = fields.byte(), let receive = fields.byte() else { return nil }
            return .phyResponse(send: send, receive: receive)
        case .phyUpdate: return nil  // The Link Layer of the lower tester decides by itself.
        }
    }

    private static func parameters(_ fields: inout Fields) -> ConnectionParameters? {
        guard let initiator = fields.kind(), let advertiser = fields.kind(),
            let interval = fields.number(2), let latency = fields.number(2),
            let timeout = fields.number(2)
        else { return nil }
        return ConnectionParameters(
            initiator: initiator,
            advertiser: advertiser,
            interval: UInt16(truncatingIfNeeded: interval),
            latency: UInt16(truncatingIfNeeded: latency),
            timeout: UInt16(truncatingIfNeeded: timeout)
        )
    }
}

/// The fields of a packet that are not yet read, or are written.
private struct Fields {
    var bytes: [UInt8] = []

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ number: UInt64, count: Int) {
        bytes += (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    mutating func take(_ count: Int) -> [UInt8]? {
        guard bytes.count >= count else { return nil }
        defer { bytes.removeFirst(count) }
        return Array(bytes.prefix(count))
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    mutating func number(_ count: Int) -> UInt64? {
        take(count).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }

    mutating func kind() -> DeviceAddress.Kind? { byte().flatMap(DeviceAddress.Kind.init) }
}

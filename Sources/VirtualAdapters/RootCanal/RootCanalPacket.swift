// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A packet between the Link Layers of RootCanal's controllers.
///
/// RootCanal does not simulate the bits on the air. Each packet contains both addresses, and is
/// encoded as RootCanal's file `link_layer_packets.pdl` defines. The type has the packets of
/// advertising, scanning and links of LE. It has no packets of BR/EDR, periodic advertising,
/// isochronous channels, subrating and Channel Sounding, which our Link Layer does not have.
package struct RootCanalPacket: Equatable, Sendable {
    /// The content of a packet.
    package enum Content: Equatable, Sendable {
        case advertisement(type: AdvertisingType, own: Kind, target: Kind, data: [UInt8])
        case extendedAdvertisement(ExtendedAdvertisement)
        case scanRequest(own: Kind, advertiser: Kind)
        case scanResponse(own: Kind, data: [UInt8])
        case connectionRequest(ConnectionParameters)
        case connectionResponse(ConnectionParameters)
        case disconnection(reason: UInt8)
        /// A fragment of an L2CAP frame, of any length.
        case data(isContinuation: Bool, [UInt8])
        case encryptionRequest(random: [UInt8], diversifier: UInt16, key: [UInt8])
        case encryptionResponse(status: UInt8, key: [UInt8])
        case featureRequest
        case featureResponse(features: UInt64, status: UInt8)
        case versionRequest
        case versionResponse(version: UInt8, subversion: UInt8, company: UInt16)
        case parameterRequest(intervals: ClosedRange<UInt16>, latency: UInt16, timeout: UInt16)
        case parameterUpdate(status: UInt8, interval: UInt16, latency: UInt16, timeout: UInt16)
        case pingRequest
        case pingResponse
        case phyRequest(send: UInt8, receive: UInt8)
        case phyResponse(send: UInt8, receive: UInt8)
        /// The decision about PHYs, without the instant, which RootCanal does not have.
        case phyUpdate(toPeripheral: UInt8, toCentral: UInt8)
    }

    /// The type of a legacy advertisement.
    package enum AdvertisingType: UInt8, Sendable {
        case undirected, directed, scannable, nonconnectable
    }

    /// The type of an address.
    package typealias Kind = DeviceAddress.Kind

    /// An extended advertisement with all its data.
    package struct ExtendedAdvertisement: Equatable, Sendable {
        var own: Kind
        var target: Kind
        var isConnectable: Bool
        var isScannable: Bool
        var isDirected: Bool
        /// The identifier of the set, or 0xFF without one.
        var setIdentifier: UInt8
        var transmitPower: UInt8
        var primaryPHY: UInt8
        var secondaryPHY: UInt8
        var data: [UInt8]
    }

    /// The fields that a connection request and its answer have in common.
    package struct ConnectionParameters: Equatable, Sendable {
        package var initiator: Kind
        package var advertiser: Kind
        /// The connection interval, in units of 1.25 ms.
        package var interval: UInt16
        package var latency: UInt16
        /// The supervision timeout, in units of 10 ms.
        package var timeout: UInt16

        package init(
            initiator: Kind,
            advertiser: Kind,
            interval: UInt16,
            latency: UInt16,
            timeout: UInt16
        ) {
            self.initiator = initiator
            self.advertiser = advertiser
            self.interval = interval
            self.latency = latency
            self.timeout = timeout
        }
    }

    /// The first byte of each packet.
    enum Tag: UInt8 {
        case data = 0x01
        case disconnection = 0x05
        case advertisement = 0x0B
        case connectionRequest = 0x0C
        case connectionResponse = 0x0D
        case scanRequest = 0x0E
        case scanResponse = 0x0F
        case versionRequest = 0x1B
        case versionResponse = 0x1C
        case encryptionRequest = 0x20
        case encryptionResponse = 0x21
        case featureRequest = 0x2C
        case featureResponse = 0x2D
        case parameterRequest = 0x2E
        case parameterUpdate = 0x2F
        case pingRequest = 0x35
        case pingResponse = 0x36
        case extendedAdvertisement = 0x37
        case phyRequest = 0x50
        case phyResponse = 0x51
        case phyUpdate = 0x52
    }

    /// The address of the sender, without its type.
    package var source: UInt64
    /// The address of the receiver, without its type; 0 for every receiver.
    package var destination: UInt64
    package var content: Content

    package init(source: UInt64, destination: UInt64, content: Content) {
        self.source = source
        self.destination = destination
        self.content = content
    }
}

extension RootCanalPacket {
    /// The bytes of the packet.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(tag.rawValue)
        writer.write(contentsOf: DeviceAddress(value: source, kind: .public).littleEndianBytes)
        writer.write(contentsOf: DeviceAddress(value: destination, kind: .public).littleEndianBytes)
        switch content {
        case .advertisement(let type, let own, let target, let data):
            writer.write(contentsOf: [own.rawValue, target.rawValue, type.rawValue] + data)
        case .extendedAdvertisement(let advertisement): advertisement.write(into: &writer)
        case .scanRequest(let own, let advertiser):
            writer.write(contentsOf: [own.rawValue, advertiser.rawValue])
        case .scanResponse(let own, let data): writer.write(contentsOf: [own.rawValue] + data)
        case .connectionRequest(let parameters), .connectionResponse(let parameters):
            writer.write(contentsOf: [
                parameters.initiator.rawValue, parameters.advertiser.rawValue,
            ])
            writer.write(words: parameters.interval, parameters.latency, parameters.timeout)
        case .disconnection(let reason): writer.write(reason)
        case .data(let isContinuation, let data):
            writer.write(contentsOf: [isContinuation ? 1 : 0, 0] + data)
        default: writeControl(into: &writer)
        }
        return writer.bytes
    }

    /// Writes the content of a packet of an existing link.
    private func writeControl(into writer: inout ByteWriter) {
        switch content {
        case .encryptionRequest(let random, let diversifier, let key):
            writer.write(contentsOf: random)
            writer.write(words: diversifier)
            writer.write(contentsOf: key)
        case .encryptionResponse(let status, let key):
            writer.write(contentsOf: [status] + [UInt8](repeating: 0, count: 10) + key)
        case .featureResponse(let features, let status):
            writer.write(features)
            writer.write(status)
        case .versionResponse(let version, let subversion, let company):
            writer.write(contentsOf: [version, subversion])
            writer.write(words: company)
        case .parameterRequest(let intervals, let latency, let timeout):
            writer.write(words: intervals.lowerBound, intervals.upperBound, latency, timeout)
        case .parameterUpdate(let status, let interval, let latency, let timeout):
            writer.write(status)
            writer.write(words: interval, latency, timeout)
        case .phyRequest(let send, let receive), .phyResponse(let send, let receive):
            writer.write(contentsOf: [send, receive])
        case .phyUpdate(let toPeripheral, let toCentral):
            writer.write(contentsOf: [toPeripheral, toCentral, 0, 0])
        default: break
        }
    }

    private var tag: Tag {
        switch content {
        case .advertisement: .advertisement
        case .extendedAdvertisement: .extendedAdvertisement
        case .scanRequest: .scanRequest
        case .scanResponse: .scanResponse
        case .connectionRequest: .connectionRequest
        case .connectionResponse: .connectionResponse
        case .disconnection: .disconnection
        case .data: .data
        case .encryptionRequest: .encryptionRequest
        case .encryptionResponse: .encryptionResponse
        case .featureRequest: .featureRequest
        case .featureResponse: .featureResponse
        case .versionRequest: .versionRequest
        case .versionResponse: .versionResponse
        case .parameterRequest: .parameterRequest
        case .parameterUpdate: .parameterUpdate
        case .pingRequest: .pingRequest
        case .pingResponse: .pingResponse
        case .phyRequest: .phyRequest
        case .phyResponse: .phyResponse
        case .phyUpdate: .phyUpdate
        }
    }
}

extension RootCanalPacket.ExtendedAdvertisement {
    fileprivate func write(into writer: inout ByteWriter) {
        let flags = (isConnectable ? 1 : 0) | (isScannable ? 2 : 0) | (isDirected ? 4 : 0)
        let fields = [setIdentifier, transmitPower, primaryPHY, secondaryPHY]
        writer.write(contentsOf: [own.rawValue, target.rawValue, UInt8(flags)] + fields)
        writer.write(words: 0)  // No periodic advertising.
        writer.write(contentsOf: data)
    }
}

extension ByteWriter {
    fileprivate mutating func write(words: UInt16...) {
        for word in words { write(word) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

@testable import GatewayProtocol

extension FuzzTarget {
    static let gatewayTargets = [
        FuzzTarget("gateway-frames", fuzzFrames),
        FuzzTarget("gateway-owner", fuzzOwner),
        FuzzTarget("gateway-host", fuzzGatewayHost),
    ]
}

/// Reads frames. Each is the same when it is written and read again.
private func fuzzFrames(_ bytes: [UInt8]) {
    var (reader, writer, again) = (FrameReader(), FrameWriter(), FrameReader())
    reader.append(bytes)
    while let frame = try? reader.next() {
        // The text of a refusal is cleaned, and can become longer than the limit.
        if case .refused = frame { return }
        again.append(writer.bytes(of: frame))
        require((try? again.next()) == frame, "changed by writing and reading")
    }
}

/// Gives a gateway the same bytes from its owner, the host that has the lease, and from its
/// controller, in pieces whose length the input chooses.
private func fuzzOwner(_ bytes: [UInt8]) {
    var core = GatewayCore(name: "hall")
    var writer = FrameWriter()
    let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    _ = core.connected(1, from: "host", .host("pc"), now: .zero)
    _ = core.received(writer.bytes(of: .hello(version: 1)), on: 1, now: .zero)
    _ = core.controllerOpened(now: .zero)
    _ = core.controllerSent(resetAnswer, now: .zero)
    require(core.owner == 1, "no lease")
    var rest = bytes[...]
    while let length = rest.popFirst() {
        let piece = rest.prefix(Int(length))
        for action in core.received(piece, on: 1, now: .zero) {
            guard case .control(let packets) = action else { continue }
            require(packets.allSatisfy { $0.first != 0x04 }, "an event for the controller")
        }
        _ = core.controllerSent(piece, now: .zero)
        rest = rest.dropFirst(piece.count)
    }
    _ = core.disconnected(1, now: .zero)
    require(core.owner == nil && core.connections.isEmpty, "a leaked lease")
}

/// Gives a host any bytes of a gateway, in pieces whose length the input chooses.
private func fuzzGatewayHost(_ bytes: [UInt8]) {
    var host = GatewayClient(.lease, now: .zero)
    _ = host.begin(now: .zero)
    var (rest, ends, delivered) = (bytes[...], 0, 0)
    while let length = rest.popFirst() {
        let piece = rest.prefix(Int(length))
        for action in host.received(piece, now: .zero) {
            switch action {
            case .end: ends += 1
            case .deliver(let packets): delivered += packets.count
            default: break
            }
        }
        rest = rest.dropFirst(piece.count)
    }
    require(ends <= 1, "ended twice")
    require(delivered <= GatewayProtocol.window, "more than the window")
}

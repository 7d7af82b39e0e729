// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothL2CAP
import BluetoothTypes

@testable import BluetoothHost

/// The credit-based channels of a model peer. Received SDUs are kept until a test takes them.
struct ModelChannels: Sendable {
    var link = LogicalLink(role: .peripheral)
    var conditions = ChannelConditions()
    private(set) var reports: [LogicalLink.Action] = []

    /// Returns the channels of a peer that listens on this SPSM.
    static func listening(
        for spsm: L2CAP.SPSM,
        _ options: L2CAP.ChannelOptions = L2CAP.ChannelOptions()
    ) -> ModelChannels {
        var channels = ModelChannels()
        channels.conditions.listeners[spsm] = ListenerTerms()
        channels.conditions.listeners[spsm]?.options = options
        return channels
    }

    /// The oldest open channel.
    var first: ChannelIdentifier { link.openChannels.first ?? .none }

    mutating func receive(_ frame: L2CAPFrame) -> [[UInt8]] {
        reports +=
            frame.channel == .signaling
            ? link.receiveSignaling(frame.payload, under: conditions, now: .zero)
            : link.receive(frame.payload, on: frame.channel, now: .zero)
        return frames()
    }

    /// Returns all frames that can be sent now.
    mutating func frames() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let frame = link.nextUrgentFrame() { frames.append(frame) }
        while let (frame, actions) = link.nextDataFrame() {
            frames.append(frame)
            reports += actions
        }
        return frames
    }

    mutating func open(
        _ spsm: L2CAP.SPSM,
        _ mode: L2CAP.Mode = .credit,
        count: Int = 1,
        _ options: L2CAP.ChannelOptions = L2CAP.ChannelOptions()
    ) {
        try? link.open(spsm, mode, count: count, options: options, id: 1, now: .zero)
    }

    mutating func send(_ sdu: [UInt8], on channel: ChannelIdentifier? = nil) {
        try? link.send(sdu, on: channel ?? first, id: 1)
    }

    mutating func close() {
        reports += link.close(first, now: .zero)
    }

    mutating func take() -> [UInt8]? { link.take(from: first) }
}

extension Harness {
    mutating func ask(_ request: ChannelRequest, of link: LinkIdentifier) -> RequestIdentifier {
        let id = takeRequest()
        core.request(request, of: link, id: id, now: now)
        performActions()
        return id
    }

    /// Performs an action on the channels of a peer, and delivers the resulting frames.
    mutating func channels(
        of peer: DeviceAddress,
        _ body: (inout ModelChannels) -> Void
    ) {
        guard let handle = controller.handle(of: peer),
            var channels = controller.peers[peer]?.channels
        else { return }
        body(&channels)
        let frames = channels.frames()
        controller.peers[peer]?.channels = channels
        for frame in frames { controller.sendFrame(frame, on: handle) }
        drive()
    }

    func channels(_ id: RequestIdentifier) throws -> [ChannelNumber] {
        guard case .channels(let numbers) = try answer(id) else { throw UnexpectedAnswer() }
        return numbers
    }

    func sdu(_ id: RequestIdentifier) throws -> [UInt8]? {
        guard case .sdu(let sdu) = try answer(id) else { throw UnexpectedAnswer() }
        return sdu
    }

    func channelEnd(_ id: RequestIdentifier) throws -> L2CAPChannel.End {
        guard case .end(let end) = try answer(id) else { throw UnexpectedAnswer() }
        return end
    }

    func failure(_ id: RequestIdentifier) -> L2CAP.Failure? {
        guard case .failure(let error)? = result(id) else { return nil }
        return error as? L2CAP.Failure
    }
}

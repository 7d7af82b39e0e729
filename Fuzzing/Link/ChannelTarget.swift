// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

/// Runs one end of a link whose peer sends any signaling and data, while the application opens,
/// sends, receives, resizes, cancels and closes, and time passes.
func fuzzChannels(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var end = FuzzedLink(role: input.flag() ? .central : .peripheral)
    while !input.isAtEnd { end.step(&input) }
    end.finish()
}

private struct FuzzedLink {
    var link: LogicalLink
    var conditions = ChannelConditions()
    var now = Instant.zero
    /// The requests that have not ended.
    var open: Set<LogicalLink.RequestID> = []
    var lastRequest: LogicalLink.RequestID = 0

    init(role: SignalingChannel.Role) {
        link = LogicalLink(role: role)
        conditions.listeners[0x0080] = ListenerTerms()
        var limited = ListenerTerms()
        limited.isEnhancedOnly = true
        limited.freeChannelCount = 3
        conditions.listeners[0x0027] = limited
    }

    mutating func step(_ input: inout FuzzInput) {
        switch input.number(below: 16) {
        case 0...4:
            receive(link.receiveSignaling(signal(&input)[...], under: conditions, now: now))
        case 5: receive(link.receiveSignaling(input.bytes()[...], under: conditions, now: now))
        case 6, 7:
            let channel = ChannelIdentifier(rawValue: 0x40 + UInt16(input.number(below: 8)))
            receive(link.receive(input.bytes()[...], on: channel, now: now))
        case 8: openChannels(&input)
        case 9: send(&input)
        case 10: if let channel = input.pick(link.openChannels) { _ = link.take(from: channel) }
        case 11:
            if let channel = input.pick(link.openChannels) {
                receive(link.close(channel, now: now))
            }
        case 12: pass(.seconds(input.number(below: 70)))
        case 13: resize(&input)
        case 14: cancel(&input)
        default: for _ in 0..<input.number(below: 8) { drain() }
        }
        check()
    }

    /// Returns a signaling packet with a valid length and an identifier that may have been used.
    private func signal(_ input: inout FuzzInput) -> [UInt8] {
        let code = input.byte() % 0x1C
        let identifier = input.byte() % 6
        let parameters = input.bytes()
        let count = UInt16(parameters.count)
        return [code, identifier, UInt8(count & 0xFF), UInt8(count >> 8)] + parameters
    }

    private mutating func takeRequest() -> LogicalLink.RequestID {
        lastRequest += 1
        open.insert(lastRequest)
        return lastRequest
    }

    private mutating func openChannels(_ input: inout FuzzInput) {
        let id = takeRequest()
        let isEnhanced = input.flag()
        do throws(L2CAP.Failure) {
            try link.open(
                L2CAP.SPSM(rawValue: input.word()),
                isEnhanced ? .enhanced : .credit,
                count: input.number(below: 7),
                options: L2CAP.ChannelOptions(),
                id: id,
                now: now
            )
        } catch { open.remove(id) }
    }

    private mutating func send(_ input: inout FuzzInput) {
        guard let channel = input.pick(link.openChannels) else { return }
        let id = takeRequest()
        do throws(L2CAP.Failure) {
            try link.send([UInt8](repeating: 7, count: Int(input.word())), on: channel, id: id)
        } catch { open.remove(id) }
    }

    private mutating func resize(_ input: inout FuzzInput) {
        let channels = link.openChannels.filter { _ in input.flag() }
        let id = takeRequest()
        let (mtu, mps) = (Int(input.word()), Int(input.word()))
        do throws(L2CAP.Failure) {
            try link.reconfigure(channels, mtu: mtu, mps: mps, id: id, now: now)
        } catch { open.remove(id) }
    }

    private mutating func cancel(_ input: inout FuzzInput) {
        let id = LogicalLink.RequestID(input.byte())
        link.cancelOpening(id)
        if let channel = input.pick(link.openChannels) { link.cancelSending(id, on: channel) }
        // A canceled request may end without an event.
        open.remove(id)
    }

    private mutating func pass(_ duration: Duration) {
        now = now + duration
        guard let deadline = link.nextDeadline, deadline <= now else { return }
        receive(link.deadlinePassed(now: now))
        if let next = link.nextDeadline { require(next > now, "a deadline never passes") }
    }

    private mutating func drain() {
        if let frame = link.nextUrgentFrame() {
            require((try? L2CAPFrame(parsing: frame[...])) != nil, "a command is not a frame")
        } else if let (frame, actions) = link.nextDataFrame() {
            require((try? L2CAPFrame(parsing: frame[...])) != nil, "data is not a frame")
            receive(actions)
        }
    }

    private mutating func receive(_ actions: [LogicalLink.Action]) {
        for action in actions {
            switch action {
            case .opened(let id, let channels):
                require(!channels.isEmpty, "opened without a channel")
                open.remove(id)
            case .refused(let id, _), .sent(let id), .abandoned(let id, _),
                .reconfigured(let id, _):
                open.remove(id)
            case .decide(_, let identifier): link.respond(to: identifier, accepting: true)
            case .parametersEnded, .accepted, .arrived, .resized, .closed, .released, .ignore: break
            }
        }
    }

    private func check() {
        require(link.openChannels.count <= LogicalLink.channelLimit, "too many channels")
        require(Set(link.openChannels).count == link.openChannels.count, "one channel twice")
        for channel in link.openChannels {
            guard let description = link.description(of: channel) else {
                fatalError("an open channel without a description")
            }
            require((0...0xFFFF).contains(description.sendCredits), "impossible credits")
            require((0...0xFFFF).contains(description.receiveCredits), "impossible credits")
            require(description.sendMTU >= 23, "an MTU below the minimum")
        }
    }

    /// Ends the link, which must end every open request and leave no channel.
    mutating func finish() {
        let ended = link.end()
        require(Set(ended).count == ended.count, "a request ends twice")
        require(open.isSubset(of: ended), "a request does not end: \(open.subtracting(ended))")
        require(link.openChannels.isEmpty, "channels that outlive their link")
    }
}

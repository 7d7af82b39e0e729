// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension L2CAP {
    /// What became of our wish for other sizes.
    package enum ReconfigurationEnd: Equatable, Sendable {
        case done
        case failed(Failure)
    }
}

// Other sizes for open enhanced channels (Vol 3, Part A, 4.27 and 4.28).
extension LogicalLink {
    /// Our request for other sizes, one at a time.
    struct Reconfiguration: Sendable {
        let identifier: Signalling.Identifier
        let id: RequestID
        let channels: [ChannelIdentifier]
        let mtu: Int
        let mps: Int
    }

    /// Asks the peer to send SDUs and frames of other sizes: up to five channels at once. The MTU
    /// must not shrink, and the MPS only on one channel. `.reconfigured` tells how it ended.
    package mutating func reconfigure(
        _ local: [ChannelIdentifier],
        mtu: Int,
        mps: Int,
        id: RequestID,
        now: Instant
    ) throws(L2CAP.Failure) {
        guard reconfiguration == nil else { throw .noRoom }
        let least = L2CAP.Mode.enhanced.sizeMinimum
        let places = local.compactMap { index(of: $0) }.filter { isReconfigurable($0) }
        guard (1...Signalling.channelLimit).contains(local.count), places.count == local.count
        else { throw .closed }
        guard (least...0xFFFF).contains(mtu), (least...0xFFFD).contains(mps),
            places.allSatisfy({ channels[$0].receiver.mtu <= mtu }),
            places.count == 1 || places.allSatisfy({ channels[$0].receiver.mps <= mps })
        else { throw .invalidParameters }
        let request = Signalling.CreditBasedReconfigureRequest(
            mtu: UInt16(mtu),
            mps: UInt16(mps),
            // The peer knows the channels by our ends of them.
            destinations: local
        )
        guard let identifier = ask(request, now: now) else { throw .noRoom }
        reconfiguration = Reconfiguration(
            identifier: identifier,
            id: id,
            channels: local,
            mtu: mtu,
            mps: mps
        )
    }

    private func isReconfigurable(_ index: Int) -> Bool {
        channels[index].phase == .open && channels[index].mode == .enhanced
    }

    mutating func reconfigurationAnswered(_ answer: Signalling.ChannelAnswer) -> [Action] {
        guard let asked = reconfiguration else { return [] }
        reconfiguration = nil
        let end = Self.end(by: answer)
        guard end == .done else { return [.reconfigured(asked.id, end)] }
        for channel in asked.channels {
            guard let index = index(of: channel) else { continue }
            channels[index].receiver.resize(mtu: asked.mtu, mps: asked.mps)
        }
        return [.reconfigured(asked.id, .done)]
    }

    private static func end(by answer: Signalling.ChannelAnswer) -> L2CAP.ReconfigurationEnd {
        switch answer {
        case .reconfigured(let response):
            let result = L2CAP.ReconfigurationResult(rawValue: response.result)
            return result == .success ? .done : .failed(.reconfigurationRefused(result))
        case .timedOut: return .failed(.timedOut)
        case .rejected: return .failed(.notSupported)
        case .connected, .connectedSeveral, .refusedSeveral, .disconnected:
            return .failed(.malformedAnswer)
        }
    }

    /// The peer tells which sizes it takes from now on.
    mutating func accept(
        _ request: Signalling.CreditBasedReconfigureRequest,
        _ identifier: Signalling.Identifier
    ) -> [Action] {
        // The request names the ends of who sends it.
        let places = request.destinations.compactMap { end in
            channels.firstIndex { $0.remote == end }
        }
        let result = result(of: request, at: places.filter { isReconfigurable($0) })
        let response = Signalling.CreditBasedReconfigureResponse(result: result.rawValue)
        queueAnswer(response.encode(identifier: identifier))
        guard result == .success else { return [] }
        for place in places {
            channels[place].sender.resize(mtu: Int(request.mtu), mps: Int(request.mps))
        }
        return places.map { .resized(channels[$0].local) }
    }

    private func result(
        of request: Signalling.CreditBasedReconfigureRequest,
        at places: [Int]
    ) -> L2CAP.ReconfigurationResult {
        let (mtu, mps) = (Int(request.mtu), Int(request.mps))
        let least = L2CAP.Mode.enhanced.sizeMinimum
        guard places.count == request.destinations.count else { return .invalidDestination }
        guard mtu >= least, (least...0xFFFD).contains(mps) else { return .unacceptableParameters }
        guard places.allSatisfy({ channels[$0].sender.mtu <= mtu }) else { return .mtuReduction }
        guard places.count == 1 || places.allSatisfy({ channels[$0].sender.mps <= mps })
        else { return .mpsReduction }
        return .success
    }
}

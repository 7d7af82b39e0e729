// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension L2CAP {
    /// The result of the local host's request for other sizes.
    package enum ReconfigurationEnd: Equatable, Sendable {
        case done
        case failed(Failure)
    }
}

// Other sizes for open channels of the enhanced mode (Vol 3, Part A, 4.27 and 4.28).
extension LogicalLink {
    /// A request for other sizes by the local host. Only one can be outstanding.
    struct Reconfiguration: Sendable {
        let identifier: Signaling.Identifier
        let id: RequestID
        let channels: [ChannelIdentifier]
        let mtu: Int
        let mps: Int
    }

    /// Requests that the peer sends SDUs and frames of other sizes, on up to five channels.
    ///
    /// The MTU must not decrease, and the MPS may decrease only if the request has one channel.
    /// `.reconfigured` reports the result.
    ///
    /// - Throws: ``L2CAP/Failure`` `.noRoom` if another request for sizes or too many requests are
    ///   outstanding, `.closed` unless there are one to five channels that are all open in the
    ///   enhanced mode, or `.invalidParameters` if a size is not allowed.
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
        guard (1...Signaling.channelLimit).contains(local.count), places.count == local.count
        else { throw .closed }
        guard (least...0xFFFF).contains(mtu), (least...0xFFFD).contains(mps),
            places.allSatisfy({ channels[$0].receiver.mtu <= mtu }),
            places.count == 1 || places.allSatisfy({ channels[$0].receiver.mps <= mps })
        else { throw .invalidParameters }
        let request = Signaling.CreditBasedReconfigureRequest(
            mtu: UInt16(mtu),
            mps: UInt16(mps),
            // The peer identifies the channels by the local ends.
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

    mutating func reconfigurationAnswered(_ answer: Signaling.ChannelAnswer) -> [Action] {
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

    private static func end(by answer: Signaling.ChannelAnswer) -> L2CAP.ReconfigurationEnd {
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

    /// Processes the sizes that the peer accepts from now on.
    mutating func accept(
        _ request: Signaling.CreditBasedReconfigureRequest,
        _ identifier: Signaling.Identifier
    ) -> [Action] {
        // The request identifies the channels by the ends of its sender.
        let places = request.destinations.compactMap { end in
            channels.firstIndex { $0.remote == end }
        }
        let result = result(of: request, at: places.filter { isReconfigurable($0) })
        let response = Signaling.CreditBasedReconfigureResponse(result: result.rawValue)
        queueAnswer(response.encode(identifier: identifier))
        guard result == .success else { return [] }
        for place in places {
            channels[place].sender.resize(mtu: Int(request.mtu), mps: Int(request.mps))
        }
        return places.map { .resized(channels[$0].local) }
    }

    private func result(
        of request: Signaling.CreditBasedReconfigureRequest,
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

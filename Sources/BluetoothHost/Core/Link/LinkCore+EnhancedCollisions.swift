// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

// Collisions of requests for enhanced bearers. If both sides send a request at the same time and
// have few resources, each may refuse the other's. The host sends a request that the peer refused
// for lack of resources once more: as the central at once, as the peripheral after a pause (Vol 3,
// Part G, 5.4).
extension LinkCore {
    /// The shortest pause of a peripheral before it sends a request again.
    private static let collisionPause: Duration = .milliseconds(100)

    /// Handles the refusal of a request for bearers. Returns whether the host sends it again.
    mutating func waitsForRepetition(
        _ id: UInt64,
        _ failure: L2CAP.Failure,
        _ context: LinkContext
    ) -> Bool {
        guard var opening = enhanced.openings.removeValue(forKey: id),
            failure == .refused(.noResources), !opening.isRepeated
        else { return false }
        opening.isRepeated = true
        opening.repeatsAt = context.now + (role == .central ? .zero : peripheralPause)
        enhanced.openings[id] = opening
        return true
    }

    private var peripheralPause: Duration {
        max(Self.collisionPause, parameters.interval * (2 * (parameters.peripheralLatency + 1)))
    }

    /// Sends the requests whose pause is over, for as many bearers as there is still room.
    mutating func repeatEnhancedOpenings(_ context: inout LinkContext) {
        guard let next = enhanced.nextRepetition, next <= context.now else { return }
        for (id, opening) in enhanced.openings.sorted(by: { $0.key < $1.key }) {
            guard let time = opening.repeatsAt, time <= context.now else { continue }
            enhanced.openings[id]?.repeatsAt = nil
            let request = RequestIdentifier(rawValue: id)
            let count = min(opening.count, enhanced.freeBearerCount)
            let options = context.enhancedOptions
            if count == 0 { context.fail(request, L2CAP.Failure.noRoom) }
            guard count > 0,
                openChannels(.enhancedATT, .enhanced, count, options, id: request, &context)
            else {
                enhanced.openings[id] = nil
                repeatable[id] = nil
                continue
            }
        }
        pump(&context)
    }

    /// Fails the requests that wait to be sent again, because the link has ended.
    mutating func failWaitingOpenings(
        with error: HostError,
        _ context: inout LinkContext
    ) {
        for (id, opening) in enhanced.openings where opening.repeatsAt != nil {
            context.fail(RequestIdentifier(rawValue: id), error)
        }
        enhanced.openings = [:]
    }
}

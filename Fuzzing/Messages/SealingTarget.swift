// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import Lanyard

/// Opens frames that are not sealed with the key, and runs two ends of a session whose frames are
/// dropped, repeated, changed and forged. A message that is opened was sealed by the other end, and
/// is opened once.
func fuzzSealing(_ bytes: [UInt8]) {
    let frame = Data(bytes)
    require((try? gcm.open(frame)) == nil, "GCM opens a frame that was not sealed")
    require(
        (try? authenticated?.open(frame)) == nil,
        "CBC with HMAC opens a frame that was not sealed"
    )
    if let opened = try? CBCSealing(key: key).open(frame) {
        require(
            opened.count < frame.count,
            "CBC opens a message that is not shorter than its frame"
        )
    }
    var input = FuzzInput(bytes)
    var pair = FuzzedSession()
    for _ in 0..<stepLimit where !input.isAtEnd { pair.step(&input) }
}

/// The number of steps of one session. Each may seal or open a frame.
private let stepLimit = 200
private let key = SealingKey(random: .bits128)
private let gcm = GCMSealing(key: key)
private let authenticated = try? AuthenticatedCBCSealing(
    encryption: key,
    authentication: SealingKey(random: .bits128)
)

private struct FuzzedSession {
    private var ends: [any SealingSession] = [
        gcm.makeSession(as: .central), gcm.makeSession(as: .peripheral),
    ]
    /// The frames that each end has sent. Any of them may arrive at any time.
    private var frames: [[Data]] = [[], []]
    /// The messages that each end has sealed and that the other has not opened.
    private var unopened: [Set<Data>] = [[], []]
    private var count: UInt32 = 0

    mutating func step(_ input: inout FuzzInput) {
        let end = input.number(below: 2)
        switch input.number(below: 8) {
        case 0: if let greeting = ends[end].greeting { frames[end].append(greeting) }
        case 1: seal(at: end)
        case 2, 3: arrive(frames[end].last ?? Data(), at: 1 - end)
        case 4: arrive(input.pick(frames[end]) ?? Data(), at: 1 - end)
        case 5:
            var frame = input.pick(frames[end]) ?? Data([0])
            frame[frame.startIndex + input.number(below: frame.count)] ^= 1 << (input.byte() & 7)
            arrive(frame, at: 1 - end)
        default: arrive(Data(input.bytes()), at: 1 - end)
        }
        if frames[end].count > 64 { frames[end].removeFirst() }
    }

    private mutating func seal(at end: Int) {
        count += 1
        let message = withUnsafeBytes(of: count) { Data($0) }
        guard let frame = try? ends[end].seal(message) else { return }
        frames[end].append(frame)
        unopened[end].insert(message)
    }

    private mutating func arrive(_ frame: Data, at end: Int) {
        switch try? ends[end].open(frame) {
        case .message(let message):
            require(
                unopened[1 - end].remove(message) != nil,
                "a message opens that was not sealed, or opens twice"
            )
        case .answer(let answer): frames[end].append(answer)
        case .nothing, nil: break
        }
    }
}

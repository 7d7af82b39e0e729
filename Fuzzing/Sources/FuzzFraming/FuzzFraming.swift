// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

/// The octets at once and one by one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFraming(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let octets = Data(UnsafeBufferPointer(start: start, count: count))
    check(StartEndFraming(limit: limit), octets)
    check(COBSFraming(limit: limit), octets)
    check(LengthPrefixedFraming(.twoOctets, .bigEndian, limit: limit), octets)
    return 0
}

private let limit = 64

private func check<Framing: MessageFraming>(_ framing: Framing, _ octets: Data) {
    var whole = framing
    let together = messages(whole.receive(octets))
    var pieces = framing
    let apart = octets.flatMap { messages(pieces.receive(Data([$0]))) }
    precondition(together == apart, "chunks make a difference")
    precondition(together.allSatisfy { $0.count <= limit }, "longer than the limit")
}

private func messages(_ events: [FramingEvent]) -> [Data] {
    events.compactMap { event in
        guard case .message(let message) = event else { return nil }
        return message
    }
}

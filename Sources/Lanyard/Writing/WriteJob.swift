// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that is to be written.
struct WriteJob: Hashable, Sendable {
    /// What the job is called.
    var number: Int
    var value: Data
    var path: CharacteristicPath
    var withResponse: Bool
    /// Whether it may go out in several writes.
    var mayBeCut = false
    /// How many octets went out.
    var sent = 0
    /// Whether one of its writes is to be confirmed.
    var isUnderWay = false
}

/// How much room there is for writes just now.
struct WriteRoom: Hashable, Sendable {
    /// How long one with response can be, in octets; 0 where there is no link.
    var withResponse: Int
    /// How long one without can be.
    var withoutResponse: Int
    /// Whether one without response can go out now.
    var isThere: Bool

    /// How long one write can be.
    ///
    /// What is cut goes out in pieces that fit into one packet of the Attribute Protocol each: longer
    /// writes with response are made of several (Vol 3, Part G, 4.9.4), which not every accessory takes.
    func length(withResponse: Bool, cut: Bool) -> Int {
        guard withResponse else { return withoutResponse }
        return cut ? min(self.withResponse, withoutResponse) : self.withResponse
    }
}

/// What a queue of writes wants done.
enum WriteAction: Hashable, Sendable {
    /// Write this.
    case write(Data, to: CharacteristicPath, withResponse: Bool)
    /// Say that so many octets of a job are out.
    case progressed(Int, Int)
    /// Say that a job is over, and well unless there is an error.
    case finished(Int, AccessoryError?)
}

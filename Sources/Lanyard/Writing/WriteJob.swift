// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that waits to be written.
struct WriteJob: Hashable, Sendable {
    /// The number of the job.
    var number: Int
    var value: Data
    var path: CharacteristicPath
    /// The characteristic, as it was discovered.
    var characteristic: AttributeReference
    var withResponse: Bool
    /// Whether the value may be divided into several writes.
    var mayBeCut = false
    /// The number of bytes that were written.
    var sent = 0
    /// Whether one of its writes awaits its confirmation.
    var isUnderWay = false
}

/// The maximum lengths of writes on a link, and whether a write without response is possible now.
package struct WriteCapacity: Hashable, Sendable {
    /// The maximum length of a write with response, in bytes; 0 without a link.
    package var withResponse: Int
    /// The maximum length of a write without response, in bytes.
    package var withoutResponse: Int
    /// Whether a write without response is possible now.
    package var canSendWithoutResponse: Bool

    package init(withResponse: Int, withoutResponse: Int, canSendWithoutResponse: Bool) {
        self.withResponse = withResponse
        self.withoutResponse = withoutResponse
        self.canSendWithoutResponse = canSendWithoutResponse
    }

    /// Returns the maximum length of one write.
    ///
    /// A divided value uses chunks that fit in one packet of the Attribute Protocol. A longer write
    /// with response consists of several packets (Vol 3, Part G, 4.9.4), which not every accessory
    /// supports.
    func length(withResponse: Bool, cut: Bool) -> Int {
        guard withResponse else { return withoutResponse }
        return cut ? min(self.withResponse, withoutResponse) : self.withResponse
    }
}

/// An action of a write queue.
enum WriteAction: Hashable, Sendable {
    /// Write this chunk to the characteristic, which has this path.
    case write(Data, to: AttributeReference, CharacteristicPath, withResponse: Bool)
    /// Report how many bytes of a job were written so far.
    case progressed(job: Int, sent: Int)
    /// Report that a job has ended, with an error if it failed.
    case finished(job: Int, AccessoryError?)
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Somebody who reads messages of one type.
struct MessageReader {
    enum Outcome {
        /// It is of another type.
        case refused
        case taken
        /// It was taken, and an older one dropped that nobody had read in time.
        case takenForAnother
    }

    let number: Int
    let take: @Sendable (Data) -> Outcome
    let end: @Sendable () -> Void

    /// One who decodes, for a mailbox; it does not keep that.
    init<Message: Decodable & Sendable>(
        _ number: Int,
        mailbox: Mailbox<Message>,
        decoder: JSONDecoder
    ) {
        self.number = number
        take = { [weak mailbox] json in
            guard let mailbox, let message = try? decoder.decode(Message.self, from: json) else {
                return .refused
            }
            let delivery = mailbox.put(message)
            delivery.deliver()
            return delivery.hasDropped ? .takenForAnother : .taken
        }
        end = { [weak mailbox] in mailbox?.end() }
    }
}

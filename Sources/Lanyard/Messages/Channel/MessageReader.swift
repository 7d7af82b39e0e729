// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A reader that passes the messages of one type to a sequence.
struct MessageReader {
    enum Outcome {
        /// The message has another type.
        case refused
        case taken
        /// The message was taken, and an older unread one was dropped.
        case takenDroppingOldest
    }

    let number: Int
    let take: @Sendable (Data) -> Outcome
    let end: @Sendable () -> Void

    /// Creates a reader that decodes messages for a mailbox, which it does not retain.
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
            return delivery.hasDropped ? .takenDroppingOldest : .taken
        }
        end = { [weak mailbox] in mailbox?.end() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A reason not to answer a request that the other side may read. What else is thrown it does not see.
public struct MessageRefusal: Error, Hashable, Sendable {
    /// The reason, in words.
    public let reason: String

    /// Refuses, for this reason.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// What the other side is told of an error: no more than that there was one, unless it is a refusal.
    static func forOthers(_ error: any Error) -> MessageRefusal {
        error as? MessageRefusal ?? MessageRefusal("it failed")
    }
}

/// Something that answers requests of one type.
struct MessageService {
    typealias Answer = Result<Data, MessageRefusal>

    enum Job {
        case done(Answer)
        case toDo(@Sendable () async -> Answer)
    }

    let number: Int
    /// What is to be done for a request; nil if it is of another type.
    let job: @Sendable (Data) -> Job?

    /// One whose answers take time.
    init<Request: Decodable & Sendable, Response: Encodable & Sendable>(
        _ number: Int,
        _ options: MessageChannelOptions,
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) {
        self.number = number
        job = { json in
            guard let request = try? options.decoder.decode(Request.self, from: json) else {
                return nil
            }
            return .toDo {
                do {
                    return .success(try options.encoder.encode(try await body(request)))
                } catch {
                    return .failure(.forOthers(error))
                }
            }
        }
    }

    /// One that answers at once.
    init<Request: Decodable & Sendable, Response: Encodable & Sendable>(
        immediate number: Int,
        _ options: MessageChannelOptions,
        _ body: @escaping @Sendable (Request) throws -> Response
    ) {
        self.number = number
        job = { json in
            guard let request = try? options.decoder.decode(Request.self, from: json) else {
                return nil
            }
            return .done(
                Result { try options.encoder.encode(try body(request)) }
                    .mapError(MessageRefusal.forOthers)
            )
        }
    }
}

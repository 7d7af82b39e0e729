// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A refusal of a request, with a reason for the other side. Other errors are not revealed to the
/// other side.
public struct MessageRefusal: Error, Hashable, Sendable {
    /// The reason, in words.
    public let reason: String

    /// Creates a refusal with this reason.
    ///
    /// - Parameter reason: The reason, in words. The channel sends at most its first
    ///   `MessageLimits.quotation` bytes.
    public init(_ reason: String) {
        self.reason = reason
    }

    /// Returns the refusal that the other side receives for an error: the error itself if it is a
    /// refusal, otherwise one that reveals only that the request failed.
    static func forOthers(_ error: any Error) -> MessageRefusal {
        error as? MessageRefusal ?? MessageRefusal("it failed")
    }
}

/// A service that answers requests of one type.
struct MessageService {
    typealias Answer = Result<Data, MessageRefusal>

    enum Job {
        case done(Answer)
        case toDo(@Sendable () async -> Answer)
    }

    let number: Int
    /// A closure that returns the work for a request; `nil` if the request has another type.
    let job: @Sendable (Data) -> Job?

    /// Creates a service with an asynchronous closure.
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

    /// Creates a service that answers at once.
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

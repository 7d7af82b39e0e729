// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Messages in both directions, as values that are `Codable`.
///
/// ```swift
/// let channel = accessory.messages
/// try await channel.send(Blink(times: 3))
/// let answer = try await channel.request(GetSetting("volume"), expecting: Setting.self)
/// for await reading in channel.messages(of: Reading.self) { print(reading) }
/// ```
///
/// A channel outlives its links: what waits when one is lost fails with `MessageError.disconnected`,
/// and it goes on with the next.
public final class MessageChannel: Sendable {
    private let transport: any MessageTransport
    private let timekeeper: any Timekeeper
    private let options: MessageChannelOptions

    /// A channel over the transport, which it starts.
    public convenience init(over transport: any MessageTransport, options: MessageChannelOptions) {
        self.init(over: transport, options: options, timekeeper: SystemTimekeeper())
    }

    /// The same by another time than the system's.
    package init(
        over transport: any MessageTransport,
        options: MessageChannelOptions,
        timekeeper: any Timekeeper
    ) {
        self.transport = transport
        self.timekeeper = timekeeper
        self.options = options
    }

    /// Sends a message. Returns when all of it was handed to the link: that does not say that it was
    /// received.
    public func send(_ message: some Encodable & Sendable) async throws(MessageError) {
        throw .closed
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameter timeout: how long the answer may take, from now on.
    public func request<Response: Decodable & Sendable>(
        _ request: some Encodable & Sendable,
        expecting response: Response.Type,
        timeout: Duration = .seconds(10)
    ) async throws(MessageError) -> Response {
        throw .closed
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The two streams of an L2CAP channel.
final class ChannelPipe: Sendable {
    func send(_ octets: Data) async throws(AccessoryError) { throw .notConnected }
    func receive() async throws(AccessoryError) -> Data? { nil }
    func close() {}
}

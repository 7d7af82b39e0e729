// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// The two streams of an L2CAP channel.
final class ChannelPipe: Sendable {
    init?(_ channel: CBL2CAPChannel, _ timekeeper: any Timekeeper) { nil }
    func send(_ octets: Data) async throws(AccessoryError) { throw .notConnected }
    func receive() async throws(AccessoryError) -> Data? { nil }
    func close() {}
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheralManager {
    func beginAdvertising(_ data: [String: Any]) {}

    func endAdvertising() {}
}

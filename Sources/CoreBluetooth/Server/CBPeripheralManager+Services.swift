// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheralManager {
    func publish(_ service: CBMutableService) {}

    func unpublish(_ service: CBMutableService) {}

    func unpublishAll() {}
}

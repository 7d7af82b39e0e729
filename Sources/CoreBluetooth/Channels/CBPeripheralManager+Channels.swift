// SPDX-License-Identifier: Apache-2.0

extension CBPeripheralManager {
    func publishChannel(isEncrypted: Bool) {}

    func unpublishChannel(_ psm: CBL2CAPPSM) {}
}

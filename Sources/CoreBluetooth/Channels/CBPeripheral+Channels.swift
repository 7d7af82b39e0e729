// SPDX-License-Identifier: Apache-2.0

extension CBPeripheral {
    func openChannel(_ psm: CBL2CAPPSM) {}

    func refuseChannelSounding() {}
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheralManager {
    func beginAdvertising(_ data: [String: Any]) {
        guard isReadyForCommands() else { return }
        let wish = AdvertisementWish(data, hasBackgroundRules: followsBackgroundRules)
        let ticket = mirror.read(\.stopCount)
        adapter?.enter { [session] in
            $0.startAdvertising(wish, ticket: ticket, for: session)
        }
    }

    func endAdvertising() {
        guard isReadyForCommands() else { return }
        mirror.change { mirror in
            mirror.stopCount += 1
            mirror.isAdvertising = false
        }
        adapter?.enter { [session] in $0.stopAdvertising(for: session) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CBPeripheralManager {
    func beginAdvertising(_ data: [String: Any]) {
        guard isReadyForCommands() else { return }
        let wish = AdvertisementWish(data, hasBackgroundRules: followsBackgroundRules)
        command(making: { mirror.read(\.stopCount) }) { [session] adapter, ticket, statesHeard in
            let isCurrent = adapter.accepts(commandOf: session, after: statesHeard)
            adapter.startAdvertising(wish, ticket: ticket, isCurrent: isCurrent, for: session)
        }
    }

    func endAdvertising() {
        guard isReadyForCommands() else { return }
        command(making: {
            mirror.change { mirror in
                mirror.stopCount += 1
                mirror.isAdvertising = false
            }
        }) { [session] adapter, _, _ in
            adapter.stopAdvertising(for: session)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

extension SecurityEvent {
    /// What is wrong with the store; nil if nothing is. Safe to print.
    var complaint: String? {
        switch self {
        case .setAside(let entry, let reason):
            TerminalText.escape("\(entry) in the store is damaged, and was set aside: \(reason)")
        case .leftAlone(let entry, let reason):
            TerminalText.escape("\(entry) in the store is not used: \(reason)")
        case .storeFailed(let reason): TerminalText.escape("the store fails: \(reason)")
        case .bonded, .bondLost, .bondRemoved: nil
        }
    }

    /// What `serve` tells of it; nil for nothing.
    var news: ServeNews? {
        switch self {
        case .bonded(let peer): .bonded(peer)
        case .bondLost(let peer): .bondLost(peer)
        case .bondRemoved(let peer): .bondRemoved(peer)
        case .setAside, .leftAlone, .storeFailed: nil
        }
    }
}

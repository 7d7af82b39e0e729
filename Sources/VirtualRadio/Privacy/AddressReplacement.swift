// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension ResolvingList {
    /// The instant at which the private addresses must be replaced; `nil` while there are none.
    var replacementDue: Instant? { isEnabled && !isEmpty ? madeAt + timeout : nil }
}

extension VirtualController {
    /// Sets the timer again, after a change of its conditions.
    mutating func arrangeReplacement(_ ether: inout Ether) {
        ether.cancel(&resolvingList.timer)
        guard let due = resolvingList.replacementDue else { return }
        resolvingList.timer = ether.schedule(.privateAddresses, of: radio, at: due)
    }

    /// Replaces the private addresses at the end of their timeout.
    mutating func replacePrivateAddresses(_ ether: inout Ether) {
        resolvingList.makeAddresses(at: ether.now, using: &dice)
        arrangeReplacement(&ether)
    }
}

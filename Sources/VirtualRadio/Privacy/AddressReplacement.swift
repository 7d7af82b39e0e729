// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension ResolvingList {
    /// When the private addresses have been in use for as long as they may; nil while there are
    /// none.
    var replacementDue: Instant? { isEnabled && !isEmpty ? madeAt + timeout : nil }
}

extension VirtualController {
    /// Sets the timer anew, after something that it depends on may have changed.
    mutating func arrangeReplacement(_ ether: inout Ether) {
        ether.cancel(&resolvingList.timer)
        guard let due = resolvingList.replacementDue else { return }
        resolvingList.timer = ether.schedule(.privateAddresses, of: radio, at: due)
    }

    /// The private addresses have been in use for as long as they may.
    mutating func replacePrivateAddresses(_ ether: inout Ether) {
        resolvingList.makeAddresses(at: ether.now, using: &dice)
        arrangeReplacement(&ether)
    }
}

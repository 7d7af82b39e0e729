// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension FilterAcceptList {
    /// The handlers of the list's commands (Vol 4, Part E, 7.8.14 to 7.8.17).
    static let handlers: [CommandHandler] = [
        .completing(HCI.LEReadFilterAcceptListSize.self) {
            (controller, _, _) throws(HCI.ErrorCode)
                -> HCI.LEReadFilterAcceptListSize.ReturnParameters in
            HCI.LEReadFilterAcceptListSize.ReturnParameters(
                size: UInt8(clamping: controller.acceptList.limit)
            )
        },
        .completing(HCI.LEClearFilterAcceptList.self) {
            (controller, _, _) throws(HCI.ErrorCode) in
            try controller.changeAcceptList { (list) throws(HCI.ErrorCode) in list.removeAll() }
        },
        .completing(HCI.LEAddDeviceToFilterAcceptList.self) {
            (controller, command, _) throws(HCI.ErrorCode) in
            try controller.changeAcceptList { (list) throws(HCI.ErrorCode) in
                try list.add(Device(command.address))
            }
        },
        .completing(HCI.LERemoveDeviceFromFilterAcceptList.self) {
            (controller, command, _) throws(HCI.ErrorCode) in
            try controller.changeAcceptList { (list) throws(HCI.ErrorCode) in
                list.remove(try Device(command.address))
            }
        },
    ]
}

extension VirtualController {
    /// Changes the list, unless the advertiser, the scanner or the initiator uses it.
    fileprivate mutating func changeAcceptList(
        _ change: (inout FilterAcceptList) throws(HCI.ErrorCode) -> Void
    ) throws(HCI.ErrorCode) {
        guard !usesAcceptList else { throw .commandDisallowed }
        try change(&acceptList)
    }
}

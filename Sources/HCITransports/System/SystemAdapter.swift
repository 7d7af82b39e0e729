// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// An adapter of the Linux kernel, and its user.
package struct SystemAdapter: Hashable, Sendable {
    /// The use of the adapter.
    package enum State: String, Hashable, Sendable {
        /// The adapter is not in use. The kernel's own host is turned off, and no program uses it.
        case down
        /// The kernel's own host uses the adapter, usually on behalf of a daemon such as
        /// bluetoothd.
        case up
        /// A program uses the adapter exclusively, through its user channel.
        case taken
        /// The kernel has not finished setting up the adapter.
        case settingUp
    }

    /// The number in the kernel.
    package var index: UInt16
    /// The public address, or `nil` if the adapter has none or is not set up.
    package var address: DeviceAddress?
    /// The bus of the adapter, or `nil` if it is unknown to this package.
    package var bus: SystemAdapterRecord.Bus?
    /// The product name of a USB device, or `nil` for others.
    package var product: String?
    /// Whether the adapter supports Low Energy, or `nil` if it is not known yet.
    package var supportsLowEnergy: Bool?
    package var state: State
    /// The switch of the radio, or `nil` if there is none.
    package var radioSwitch: RadioSwitch?
    /// The users of the adapter: the daemons if it is up, or the programs that may have taken it.
    /// The list is empty if this process may not see them.
    package var holders: [SystemProcess]
    /// The number of links that the kernel's own host has on the adapter.
    package var connections: Int

    package init(
        index: UInt16,
        address: DeviceAddress? = nil,
        bus: SystemAdapterRecord.Bus? = nil,
        product: String? = nil,
        supportsLowEnergy: Bool? = nil,
        state: State = .down,
        radioSwitch: RadioSwitch? = nil,
        holders: [SystemProcess] = [],
        connections: Int = 0
    ) {
        self.index = index
        self.address = address
        self.bus = bus
        self.product = product
        self.supportsLowEnergy = supportsLowEnergy
        self.state = state
        self.radioSwitch = radioSwitch
        self.holders = holders
        self.connections = connections
    }

    /// The name: `hci0`.
    package var name: String { AdapterSpecification.hci(index: index).description }

    /// The specification that remains valid after a restart: the address if there is one.
    package var specification: AdapterSpecification {
        address.map { .hciAddress($0) } ?? .hci(index: index)
    }

    /// Whether a program with the required capability could take the adapter now, or once it is set
    /// up.
    package var mayBeTaken: Bool {
        switch state {
        case .down, .settingUp: radioSwitch?.isOff != true
        case .up: connections == 0 && radioSwitch?.isOff != true
        case .taken: false
        }
    }
}

extension SystemAdapter {
    /// Returns the adapter to use if the user specifies none. Adapters that do not support Low
    /// Energy or are not available are excluded. An unused adapter takes precedence over one that
    /// is being set up, and an adapter that would be taken from a daemon comes last.
    package static func preferred(of adapters: [SystemAdapter]) -> SystemAdapter? {
        adapters
            .filter { $0.supportsLowEnergy != false && $0.mayBeTaken }
            .min { ($0.preferenceRank, $0.index) < ($1.preferenceRank, $1.index) }
    }

    private var preferenceRank: Int {
        switch state {
        case .down: 0
        case .settingUp: 1
        case .up, .taken: 2
        }
    }
}

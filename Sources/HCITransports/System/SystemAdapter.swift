// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// An adapter that the Linux kernel has, and who has it.
package struct SystemAdapter: Hashable, Sendable {
    /// What it is doing.
    package enum State: String, Hashable, Sendable {
        /// Nothing: the kernel's own host is switched off on it, and nobody has it.
        case down
        /// It works for the kernel's own host, and through that for a daemon such as bluetoothd.
        case up
        /// A program has it for itself, through its user channel.
        case taken
        /// The kernel has not finished setting it up.
        case settingUp
    }

    /// The number that the kernel gave it.
    package var index: UInt16
    /// Its public address; nil if it has none, or is not set up.
    package var address: DeviceAddress?
    /// How it is attached; nil for a way that is not known here.
    package var bus: SystemAdapterRecord.Bus?
    /// What a USB device calls itself; nil for others.
    package var product: String?
    /// Whether it does Low Energy; nil if that is not known yet.
    package var supportsLowEnergy: Bool?
    package var state: State
    /// The switch of its radio; nil if it has none.
    package var radioSwitch: RadioSwitch?
    /// Who has it: the daemons, if it is up; the program, if it is taken, or all that it may be. Empty
    /// where this process may not see who.
    package var holders: [SystemProcess]
    /// How many links the kernel's own host has on it.
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

    /// `hci0`.
    package var name: String { AdapterSpecification.hci(index: index).description }

    /// What names it for longer than until the next start: its address, if it has one.
    package var specification: AdapterSpecification {
        address.map { .hciAddress($0) } ?? .hci(index: index)
    }

    /// Whether a program with the capability for it could take it now.
    package var mayBeTaken: Bool {
        switch state {
        case .down, .settingUp: radioSwitch?.isOff != true
        case .up: connections == 0 && radioSwitch?.isOff != true
        case .taken: false
        }
    }
}

extension SystemAdapter {
    /// The one to use where nobody says which: does Low Energy and may be taken. One that nobody uses goes
    /// before one that is being set up, and that before one that is taken from a daemon.
    package static func preferred(of adapters: [SystemAdapter]) -> SystemAdapter? {
        adapters
            .filter { $0.supportsLowEnergy != false && $0.mayBeTaken }
            .min { ($0.reluctance, $0.index) < ($1.reluctance, $1.index) }
    }

    private var reluctance: Int {
        switch state {
        case .down: 0
        case .settingUp: 1
        case .up, .taken: 2
        }
    }
}

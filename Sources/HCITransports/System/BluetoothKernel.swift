// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What this room asks of Linux' Bluetooth: a call of the system each, and no decision.
///
/// `LinuxKernel` is the real one. Tests bring one whose adapters are values, so that every refusal there
/// is can be had without an adapter. The calls may wait, for seconds some of them: none belongs on the
/// thread of an executor that is in use.
protocol BluetoothKernel: Sendable {
    /// A clock that never goes back.
    var now: Instant { get }

    /// The numbers of all adapters that there are, whoever uses them (HCIGETDEVLIST).
    func adapterIndices() throws(SystemError) -> [UInt16]

    /// What the kernel knows of an adapter (HCIGETDEVINFO).
    func record(of index: UInt16) throws(SystemError) -> SystemAdapterRecord

    /// How many links the kernel's own host has on an adapter (HCIGETCONNLIST).
    func connectionCount(of index: UInt16) throws(SystemError) -> Int

    /// The adapters that the kernel's management offers to daemons: neither those that are still being
    /// set up, nor those that a program has for itself.
    func managedIndices() throws(SystemError) -> Set<UInt16>

    /// Starts the kernel's own host on an adapter (HCIDEVUP). EALREADY if it runs, for that host or for a
    /// program that has it.
    func bringUp(_ index: UInt16) throws(SystemError)

    /// Ends the kernel's own host on an adapter (HCIDEVDOWN).
    func bringDown(_ index: UInt16) throws(SystemError)

    /// Takes an adapter, for as long as the descriptor is open (HCI_CHANNEL_USER).
    func openUserChannel(_ index: UInt16) throws(SystemError) -> Descriptor

    /// Opens a socket on which adapters that come and go are announced (HCI_CHANNEL_CONTROL).
    func openAnnouncements() throws(SystemError) -> Descriptor

    /// Waits until something is announced, but not for longer than `limit`.
    func awaitAnnouncement(on announcements: Descriptor?, limit: Duration)

    /// The files in which Linux says more: /proc and /sys.
    var files: any SystemFiles { get }
}

/// The files in which Linux says what it has. None of them is ever long.
protocol SystemFiles: Sendable {
    /// The beginning of a file; nil if it cannot be read.
    func text(of path: String) -> String?
    /// The names in a directory; none if it cannot be read.
    func names(in directory: String) -> [String]
    /// What a symbolic link says; nil if it is none, or may not be read.
    func target(of link: String) -> String?
}

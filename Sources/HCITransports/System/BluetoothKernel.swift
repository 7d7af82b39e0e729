// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The system calls of Linux for adapters that this module uses. The methods make the calls but no
/// decisions.
///
/// `LinuxKernel` is the implementation for a real system. Tests use an implementation whose
/// adapters are values, so that every error can be tested without an adapter. The calls may block,
/// some of them for seconds.
protocol BluetoothKernel: Sendable {
    /// The time of a monotonic clock.
    var now: Instant { get }

    /// Returns the numbers of all adapters, including those in use (HCIGETDEVLIST).
    func adapterIndices() throws(SystemError) -> [UInt16]

    /// Returns the kernel's information about an adapter (HCIGETDEVINFO).
    func record(of index: UInt16) throws(SystemError) -> SystemAdapterRecord

    /// Returns the number of links that the kernel's own host has on an adapter (HCIGETCONNLIST).
    func connectionCount(of index: UInt16) throws(SystemError) -> Int

    /// Returns the adapters that the kernel's management interface offers to daemons. The result
    /// excludes adapters that are being set up and those that a program uses exclusively.
    func managedIndices() throws(SystemError) -> Set<UInt16>

    /// Starts the kernel's own host on an adapter (HCIDEVUP). The error is EALREADY if the adapter
    /// is up already, for that host or for a program.
    func bringUp(_ index: UInt16) throws(SystemError)

    /// Stops the kernel's own host on an adapter (HCIDEVDOWN).
    func bringDown(_ index: UInt16) throws(SystemError)

    /// Takes exclusive use of an adapter until the descriptor is closed (HCI_CHANNEL_USER).
    func openUserChannel(_ index: UInt16) throws(SystemError) -> Descriptor

    /// Opens a socket for the announcements of the management interface, for example of added and
    /// removed adapters (HCI_CHANNEL_CONTROL).
    func openAnnouncements() throws(SystemError) -> Descriptor

    /// Waits for an announcement, at most for `limit`.
    func awaitAnnouncement(on announcements: Descriptor?, limit: Duration)

    /// The files with further information: /proc and /sys.
    var files: any SystemFiles { get }
}

/// The files in which Linux provides information about the system.
protocol SystemFiles: Sendable {
    /// Returns the start of a file, or `nil` if it cannot be read.
    func text(of path: String) -> String?
    /// Returns the names in a directory, empty if it cannot be read.
    func names(in directory: String) -> [String]
    /// Returns the target of a symbolic link, or `nil` if it is not a link or cannot be read.
    func target(of link: String) -> String?
}

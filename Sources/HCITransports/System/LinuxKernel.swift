// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

    import BluetoothTypes
    import LinuxInterfaces

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The kernel on which this process runs.
    struct LinuxKernel: BluetoothKernel {
        /// The maximum number of adapters in a list.
        private static let adapterLimit: UInt16 = 64
        /// The maximum number of links in a list.
        private static let connectionLimit: UInt16 = 255
        /// The maximum time of each wait for a message while an answer to a management command is
        /// awaited, in milliseconds.
        private static let answerLimit: Int32 = 1000
        /// The maximum number of other messages to read while waiting for an answer or an
        /// announcement.
        private static let otherMessagesLimit = 64
        /// The requested size in bytes of the buffer for packets that wait to be read. The kernel
        /// doubles it, because its own data for each packet counts too, and silently drops packets
        /// that do not fit. Its default size suffices for about 300 advertising reports.
        private static let receiveBufferSize: Int32 = 4 << 20

        var now: Instant { SystemClock.monotonic }
        var files: any SystemFiles { LinuxFiles() }

        // MARK: Adapters

        func adapterIndices() throws(SystemError) -> [UInt16] {
            // The list consists of the number of adapters and padding, and then of an entry for
            // each adapter: its index, padding, and four bytes of flags.
            var list = [UInt8](repeating: 0, count: 4 + 8 * Int(Self.adapterLimit))
            Self.put(Self.adapterLimit, into: &list)
            try Self.ask(LINUX_HCIGETDEVLIST, &list)
            let count = min(Self.number(list, at: 0), Self.adapterLimit)
            return (0..<Int(count)).map { Self.number(list, at: 4 + 8 * $0) }
        }

        func record(of index: UInt16) throws(SystemError) -> SystemAdapterRecord {
            var record = [UInt8](repeating: 0, count: SystemAdapterRecord.length)
            Self.put(index, into: &record)
            try Self.ask(LINUX_HCIGETDEVINFO, &record)
            guard let record = SystemAdapterRecord(record) else { throw SystemError(code: EIO) }
            return record
        }

        func connectionCount(of index: UInt16) throws(SystemError) -> Int {
            // The list consists of the adapter's index and the number of links, and then of 16
            // bytes for each link. Bytes 10 and 11 of a link are its state.
            var list = [UInt8](repeating: 0, count: 4 + 16 * Int(Self.connectionLimit))
            Self.put(index, into: &list)
            Self.put(Self.connectionLimit, into: &list, at: 2)
            try Self.ask(LINUX_HCIGETCONNLIST, &list)
            let count = min(Self.number(list, at: 2), Self.connectionLimit)
            // The states are BT_CONNECTED (1) and BT_CONFIG (7), a link that is being configured. A
            // link that is only requested has another state.
            return (0..<Int(count)).count {
                [1, 7].contains(Self.number(list, at: 4 + 16 * $0 + 10))
            }
        }

        func bringUp(_ index: UInt16) throws(SystemError) {
            try Self.performControl(LINUX_HCIDEVUP, index)
        }

        func bringDown(_ index: UInt16) throws(SystemError) {
            try Self.performControl(LINUX_HCIDEVDOWN, index)
        }

        func openUserChannel(_ index: UInt16) throws(SystemError) -> Descriptor {
            let socket = try Self.makeSocket()
            // The buffer is enlarged before the adapter sends the first packet.
            Self.widen(socket)
            try Self.attach(socket, to: index, LINUX_HCI_CHANNEL_USER)
            return socket
        }

        // MARK: Calls

        /// Creates an HCI socket that is not bound.
        static func makeSocket() throws(SystemError) -> Descriptor {
            try Descriptor.makeSocket(
                family: LINUX_AF_BLUETOOTH,
                kind: SocketKind.raw,
                protocolNumber: LINUX_BTPROTO_HCI
            )
        }

        /// Creates an HCI socket that is bound and non-blocking.
        private static func makeSocket(
            _ index: UInt16,
            _ channel: UInt16
        ) throws(SystemError) -> Descriptor {
            let socket = try makeSocket()
            try attach(socket, to: index, channel)
            return socket
        }

        /// Binds a socket and makes it non-blocking.
        private static func attach(
            _ socket: Descriptor,
            to index: UInt16,
            _ channel: UInt16
        ) throws(SystemError) {
            socket.makeNonBlocking()
            let address = SocketAddress(
                linux_sockaddr_hci(
                    family: UInt16(LINUX_AF_BLUETOOTH),
                    device: index,
                    channel: channel
                )
            )
            guard address.withPointer({ bind(socket.number, $0, $1) }) == 0 else { throw .last }
        }

        /// Enlarges the buffer for packets that arrive while the process does not read. The size
        /// may exceed the system's limit if the process has CAP_NET_ADMIN, which it also needs to
        /// take an adapter. Otherwise, the limit applies.
        private static func widen(_ socket: Descriptor) {
            var size = receiveBufferSize
            let length = socklen_t(MemoryLayout<Int32>.size)
            let isForced = setsockopt(socket.number, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) == 0
            if !isForced { _ = setsockopt(socket.number, SOL_SOCKET, SO_RCVBUF, &size, length) }
        }

        private static func ask(
            _ request: UInt,
            _ structure: inout [UInt8]
        ) throws(SystemError) {
            let socket = try makeSocket()
            let result = structure.withUnsafeMutableBytes { bytes -> Int32 in
                guard let place = bytes.baseAddress else { return -1 }
                return control(socket.number, request, place)
            }
            guard result >= 0 else { throw .last }
        }

        private static func performControl(_ request: UInt, _ index: UInt16) throws(SystemError) {
            let socket = try makeSocket()
            guard control(socket.number, request, Int32(index)) >= 0 else { throw .last }
        }

        private static func put(_ number: UInt16, into bytes: inout [UInt8], at offset: Int = 0) {
            bytes.withUnsafeMutableBytes {
                $0.storeBytes(of: number, toByteOffset: offset, as: UInt16.self)
            }
        }

        private static func number(_ bytes: [UInt8], at offset: Int) -> UInt16 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
        }
    }

    // MARK: - Management

    extension LinuxKernel {
        func managedIndices() throws(SystemError) -> Set<UInt16> {
            try Self.managedIndices(on: openAnnouncements())
        }

        static func managedIndices(on socket: Descriptor) throws(SystemError) -> Set<UInt16> {
            let lists = [LINUX_MGMT_OP_READ_INDEX_LIST, LINUX_MGMT_OP_READ_UNCONF_INDEX_LIST]
            var found: Set<UInt16>?
            for command in lists {
                let answer = try answer(to: ManagementMessage(command: command), on: socket)
                guard let indices = answer.flatMap(ManagementMessage.indices) else { break }
                found = (found ?? []).union(indices)
            }
            guard let found else { throw SystemError(code: EIO) }
            return found
        }

        func openAnnouncements() throws(SystemError) -> Descriptor {
            try Self.makeSocket(LINUX_HCI_DEV_NONE, LINUX_HCI_CHANNEL_CONTROL)
        }

        func awaitAnnouncement(on announcements: Descriptor?, limit: Duration) {
            let milliseconds = Int32(clamping: limit.nanoseconds / 1_000_000)
            var interest = pollfd(
                fd: announcements?.number ?? -1,
                events: Int16(POLLIN),
                revents: 0
            )
            guard poll(&interest, 1, milliseconds) > 0, let announcements else { return }
            // The content of the announcement is not needed, because the caller checks the state
            // itself.
            for _ in 0..<Self.otherMessagesLimit where Self.read(announcements).isEmpty { return }
        }

        /// Sends a management command, and returns the answer, or `nil` if the kernel refuses the
        /// command or does not answer in time.
        private static func answer(
            to command: ManagementMessage,
            on socket: Descriptor
        ) throws(SystemError) -> ArraySlice<UInt8>? {
            let count = command.bytes.withUnsafeBytes { socket.sendWithoutSignal($0) }
            guard count >= 0 else { throw .last }
            for _ in 0..<otherMessagesLimit {
                var interest = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
                var count: Int32
                repeat { count = poll(&interest, 1, answerLimit) } while count < 0 && errno == EINTR
                guard count > 0 else { return nil }
                guard let message = ManagementMessage(read(socket)[...]) else { continue }
                switch message.answer(to: command.code) {
                case .done(let parameters): return parameters
                case .refused: return nil
                case nil: continue
                }
            }
            return nil
        }

        private static func read(_ socket: Descriptor) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: ManagementMessage.lengthLimit) { buffer, count in
                count = max(0, recv(socket.number, buffer.baseAddress, buffer.count, 0))
            }
        }
    }

    // Calls `ioctl`, whose second parameter has another type with Musl.

    private func control(
        _ number: Int32,
        _ request: UInt,
        _ place: UnsafeMutableRawPointer
    ) -> Int32 {
        #if canImport(Glibc)
            ioctl(number, request, place)
        #else
            ioctl(number, Int32(truncatingIfNeeded: request), place)
        #endif
    }

    private func control(_ number: Int32, _ request: UInt, _ value: Int32) -> Int32 {
        #if canImport(Glibc)
            ioctl(number, request, value)
        #else
            ioctl(number, Int32(truncatingIfNeeded: request), value)
        #endif
    }

#endif

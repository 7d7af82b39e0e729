// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

    import LinuxInterfaces
    import Testing

    @testable import HCITransports

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The answers of the kernel's management interface. A joined socket takes the kernel's place.
    @Suite("The management interface of the kernel", .timeLimit(.minutes(1)))
    struct LinuxKernelTests {
        private static let lists = [
            LINUX_MGMT_OP_READ_INDEX_LIST, LINUX_MGMT_OP_READ_UNCONF_INDEX_LIST,
        ]

        /// Returns Command Complete for a list command.
        private static func answer(to command: UInt16, _ parameters: [UInt8]) -> [UInt8] {
            let bytes = [UInt8(truncatingIfNeeded: command), UInt8(command >> 8), 0] + parameters
            return [0x01, 0x00, 0xFF, 0xFF, UInt8(bytes.count), 0] + bytes
        }

        private static func send(_ bytes: [UInt8], to descriptor: Descriptor) {
            let count = bytes.withUnsafeBytes { descriptor.sendWithoutSignal($0) }
            #expect(count == bytes.count)
        }

        @Test("A kernel that does not list its adapters has not listed none")
        func refusedList() throws {
            let (near, far) = try Descriptor.packetPair()
            // Command Status: Unknown Command.
            for command in Self.lists {
                let answer = [UInt8(truncatingIfNeeded: command), UInt8(command >> 8), 0x01]
                Self.send([0x02, 0x00, 0xFF, 0xFF, 3, 0] + answer, to: far)
            }
            #expect(throws: SystemError.self) { try LinuxKernel.managedIndices(on: near) }
        }

        @Test("A kernel that lists only the adapters that are set up has no others")
        func refusedSecondList() throws {
            let (near, far) = try Descriptor.packetPair()
            let command = Self.lists[1]
            Self.send(Self.answer(to: Self.lists[0], [1, 0, 3, 0]), to: far)
            let refusal = [UInt8(truncatingIfNeeded: command), UInt8(command >> 8), 0x01]
            Self.send([0x02, 0x00, 0xFF, 0xFF, 3, 0] + refusal, to: far)
            #expect(try LinuxKernel.managedIndices(on: near) == [3])
        }

        @Test("A signal does not end the wait for an answer")
        func interruptedWait() async {
            // The handler belongs to the process, so the test has a process of its own.
            await #expect(processExitsWith: .success) {
                signal(SIGUSR1) { _ in }
                // Swift's own threads block signals.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGUSR1)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                let (near, far) = try Descriptor.packetPair()
                let waiter = pthread_self()
                let kernel = try #require(
                    SystemThread {
                        for _ in 0..<10 {
                            pthread_kill(waiter, SIGUSR1)
                            poll(nil, 0, 10)
                        }
                        for command in Self.lists {
                            Self.send(Self.answer(to: command, [1, 0, 3, 0]), to: far)
                        }
                    }
                )
                let indices = try? LinuxKernel.managedIndices(on: near)
                kernel.join()
                try #require(indices == [3])
            }
        }
    }

#endif

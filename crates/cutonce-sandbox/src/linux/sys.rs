//! System calls without the C library's `errno`.
//!
//! The supervisor shares our memory, and with it the thread-local `errno` of the thread that started it. Only
//! calls that never touch `errno` are safe there.

use libc::c_long;

/// True if a child process can share our memory: only where we make system calls ourselves.
pub(crate) const SHARES_MEMORY: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Makes a raw system call; returns the result or the negated error number.
///
/// # Safety
/// The requirements of the system call itself apply, in particular for pointers among `args`.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(number: c_long, args: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = args;
    let result: isize;
    // SAFETY: these are the registers of the x86-64 system call convention; `rcx` and `r11` are declared as clobbered.
    unsafe {
        std::arch::asm!(
            "syscall", inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _, options(nostack)
        );
    }
    result
}

/// Makes a raw system call; returns the result or the negated error number.
///
/// # Safety
/// The requirements of the system call itself apply, in particular for pointers among `args`.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(number: c_long, args: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = args;
    let result: isize;
    // SAFETY: these are the registers of the AArch64 system call convention.
    unsafe {
        std::arch::asm!(
            "svc 0", in("x8") number as usize, inlateout("x0") a as isize => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f, options(nostack)
        );
    }
    result
}

/// Makes a system call through the C library, in a process with its own memory.
///
/// # Safety
/// The requirements of the system call itself apply, in particular for pointers among `args`.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) unsafe fn call(number: c_long, args: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = args;
    // SAFETY: the caller vouches for the arguments; `__errno_location` always returns a valid pointer.
    unsafe {
        match libc::syscall(number, a, b, c, d, e, f) {
            -1 => -(*libc::__errno_location() as isize),
            result => result as isize,
        }
    }
}

/// Converts a raw result to `Ok(value)` or `Err(errno)`.
pub(crate) fn checked(result: isize) -> Result<usize, i32> {
    if result < 0 { Err(-result as i32) } else { Ok(result as usize) }
}

/// `sys!(SYS_x, arguments…)`: makes a raw system call and returns a `Result<usize, i32>`.
macro_rules! sys {
    ($number:ident $(, $arg:expr)*) => {{
        let given: &[usize] = &[$($arg as usize),*];
        let mut args = [0usize; 6];
        args.iter_mut().zip(given).for_each(|(slot, arg)| *slot = *arg);
        $crate::linux::sys::checked($crate::linux::sys::call(libc::$number, args))
    }};
}
pub(crate) use sys;
